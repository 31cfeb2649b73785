import { told } from "../../../json/told.js";
import { isRecord } from "../../../json/value.js";
import type {
  ParameterDescription,
  ParameterLocation,
  ParameterStyle,
  SchemaPlace,
  Serialisation,
} from "../description.js";
import { chooseMediaType } from "./choose-media-type.js";
import { commonFacts, type DeclaredParameter, isIgnoredHeader } from "./declared-parameters.js";
import type { OperationScope } from "./operation-scope.js";

/** `undefined` where it cannot be sent, or is described elsewhere. */
export function parameterOfV3(scope: OperationScope, declared: DeclaredParameter): ParameterDescription | undefined {
  if (isIgnoredHeader(declared)) return undefined;
  const { name, location, value } = declared;
  if (!isLocation(location)) return scope.warnOfPlace(name, location);
  return {
    name,
    in: location,
    required: location === "path" || value["required"] === true,
    ...commonFacts(declared),
    ...writtenAs(scope, declared, location),
  };
}

function isLocation(location: string): location is ParameterLocation {
  return Object.hasOwn(STYLES, location);
}

/** The styles of a location; the first is its default. */
const STYLES: Readonly<Record<ParameterLocation, readonly ParameterStyle[]>> = {
  path: ["simple", "label", "matrix"],
  query: ["form", "spaceDelimited", "pipeDelimited", "deepObject"],
  querystring: ["form"],
  header: ["simple"],
  cookie: ["form"],
};

function writtenAs(
  scope: OperationScope,
  declared: DeclaredParameter,
  location: ParameterLocation,
): Serialisation & { readonly schema: SchemaPlace } {
  const { name, value, base } = declared;
  if (value["content"] !== undefined) {
    const content = scope.records({ value: value["content"], base }, `The content of the parameter ${told(name)}`);
    const mediaType = chooseMediaType(content.map(([type]) => type));
    const media = content.find(([type]) => type === mediaType)?.[1];
    if (media !== undefined && mediaType !== undefined)
      return { ...plain(location), mediaType, schema: { schema: media.value["schema"] ?? {}, base: media.base } };
  }
  if (value["schema"] === undefined) scope.warn(`The parameter ${told(name)} has no schema; it takes anything.`);
  const otherwise = location === "path" ? { type: "string" } : {};
  return { ...styleOf(scope, declared, location), schema: { schema: value["schema"] ?? otherwise, base } };
}

function plain(location: ParameterLocation): Serialisation {
  const [style = "form"] = STYLES[location];
  return { style, explode: style === "form", allowReserved: false };
}

function styleOf(scope: OperationScope, declared: DeclaredParameter, location: ParameterLocation): Serialisation {
  const { style, explode, allowReserved } = declared.value;
  const { style: usual } = plain(location);
  // 3.2: as `form`, but nothing is encoded.
  const isRawCookie = location === "cookie" && style === "cookie";
  const known = STYLES[location].find((one) => one === style);
  if (style !== undefined && known === undefined && !isRawCookie)
    scope.warn(`The parameter ${told(declared.name)} has the style ${told(style)}; it is written as ${usual}.`);
  const used = known ?? usual;
  return {
    style: used,
    explode: typeof explode === "boolean" ? explode : used === "form",
    allowReserved: allowReserved === true || isRawCookie,
  };
}

/** How the field of a form is written that says so itself; the others follow the default. */
export function fieldStyle(encoding: unknown): Serialisation {
  const { style, explode, allowReserved } = isRecord(encoding) ? encoding : {};
  const used = STYLES.query.find((one) => one === style) ?? "form";
  return {
    style: used,
    explode: typeof explode === "boolean" ? explode : used === "form",
    allowReserved: allowReserved === true,
  };
}
