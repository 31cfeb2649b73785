import { told } from "../../../json/told.js";
import { isRecord, isStringArray } from "../../../json/value.js";
import type { OperationDescription, ParameterDescription, SecurityRequirement } from "../description.js";
import type { ApiDocument } from "./api-document.js";
import { declaredParameters } from "./declared-parameters.js";
import { bodyOfV2 } from "./describe-body-v2.js";
import { bodyOfV3 } from "./describe-body-v3.js";
import { parameterOfV2 } from "./describe-parameter-v2.js";
import { parameterOfV3 } from "./describe-parameter-v3.js";
import { responsesOf } from "./describe-responses.js";
import { fitToPath } from "./fit-to-path.js";
import type { IndexedOperation } from "./index-operations.js";
import { OperationScope } from "./operation-scope.js";
import { serversOf } from "./servers.js";

export interface DescribeOptions {
  /** Values for the variables of server addresses. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** Media types of bodies, the dearest first. */
  readonly bodyTypes?: readonly string[] | undefined;
}

/** An operation in words that do not depend on the version of its document. What is broken is left out, with a warning. */
export function describeOperation(
  document: ApiDocument,
  operation: IndexedOperation,
  { variables = {}, bodyTypes = [] }: DescribeOptions = {},
): OperationDescription {
  const scope = new OperationScope(document, operation);
  const isV2 = document.version === "2.0";
  const declared = declaredParameters(scope);
  const read = isV2 ? parameterOfV2 : parameterOfV3;
  const parameters = declared.map((one) => read(scope, one)).filter(isPresent);
  return {
    parameters: fitToPath(scope, parameters),
    body: isV2 ? bodyOfV2(scope, declared, bodyTypes) : bodyOfV3(scope, bodyTypes),
    responses: responsesOf(scope),
    security: securityOf(scope),
    servers: serversOf(scope, variables),
    warnings: scope.warnings,
  };
}

function isPresent(parameter: ParameterDescription | undefined): parameter is ParameterDescription {
  return parameter !== undefined;
}

function securityOf(scope: OperationScope): SecurityRequirement[] {
  const { document, operation } = scope;
  const security = operation.raw.operation["security"] ?? document.root["security"] ?? [];
  if (!Array.isArray(security)) {
    scope.warn(`\`security\` is ${told(security)}, not a list; it is left out.`);
    return [];
  }
  const known = document.securitySchemes();
  return security.filter((requirement): requirement is SecurityRequirement => {
    const isOne = isRecord(requirement) && Object.values(requirement).every(isStringArray);
    if (!isOne) scope.warn(`\`security\` has ${told(requirement)} in place of names with scopes; it is left out.`);
    for (const name of isOne ? Object.keys(requirement) : [])
      if (!Object.hasOwn(known, name))
        scope.warn(`The security scheme ${told(name)} is not described in the document.`);
    return isOne;
  });
}
