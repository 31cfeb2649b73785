import type { JsonRecord } from "../src/json/value.js";
import type { Credential } from "../src/sources/openapi/index.js";

/** What every operation of the documents is called with, as far as it has these fields. */
export const STYLE_INPUT: JsonRecord = {
  primitive: "a b=c",
  array: ["x", "y+z"],
  object: { name: "n+1", description: "d&e" },
};

const PRIMITIVE = "a b=c";
const FIELDS = { name: "n+1", description: "d&e" };
const exploded = { primitive: PRIMITIVE, array: ["x", "y+z"], ...FIELDS };
const joined = { primitive: PRIMITIVE, array: "x,y+z", object: "name,n+1,description,d&e" };
const deep = { "object[name]": "n+1", "object[description]": "d&e" };
const headers = { Primitive: PRIMITIVE, Array: "x,y+z", Object: "name,n+1,description,d&e" };
/** Of a name that comes twice, this server shows the first. */
const cookies = { primitive: PRIMITIVE, array: "x", ...FIELDS };

/** What httpbin says it got, by operation: cookies, headers, query and form as it decoded them, and the decoded path. */
export const PARAMETER_CASES: Readonly<Record<string, object>> = {
  cookies_standard: { cookies },
  cookies_form_nonExploded: { cookies: joined },
  cookies_form_exploded: { cookies },
  headers_standard: { headers },
  headers_simple_nonExploded: { headers },
  headers_simple_exploded: { headers: { ...headers, Object: "name=n+1,description=d&e" } },
  paths_standard: { path: "a b=c/x,y+z/name,n+1,description,d&e" },
  paths_matrix_nonExploded: {
    path: "matrix/;primitive=a b=c/;array=x,y+z/;object=name,n+1,description,d&e",
  },
  paths_matrix_exploded: { path: "matrix/;primitive=a b=c/;array=x;array=y+z/;name=n+1;description=d&e" },
  paths_label_nonExploded: { path: "label/.a b=c/.x,y+z/.name,n+1,description,d&e" },
  paths_label_exploded: { path: "label/.a b=c/.x.y+z/.name=n+1.description=d&e" },
  paths_simple_nonExploded: { path: "simple/a b=c/x,y+z/name,n+1,description,d&e" },
  paths_simple_exploded: { path: "simple/a b=c/x,y+z/name=n+1,description=d&e" },
  query_standard: { args: exploded },
  query_form_nonExploded: { args: joined },
  query_form_exploded: { args: exploded },
  query_spaceDelimited_nonExploded: { args: { array: "x y+z", object: "name n+1 description d&e" } },
  query_pipeDelimited_nonExploded: { args: { array: "x|y+z", object: "name|n+1|description|d&e" } },
  query_deepObject_nonExploded: { args: deep },
};

/** OpenAPI 3.0 gives styles no meaning in multipart bodies. */
export const FORM_CASES: Readonly<Record<string, object>> = {
  formData_standard: { form: { primitive: PRIMITIVE, array: ["x", "y+z"], object: JSON.stringify(FIELDS) } },
  formData_form_nonExploded: { form: joined },
  form_data_form_exploded: { form: exploded },
  formData_spaceDelimited_nonExploded: { form: { array: "x y+z", object: "name n+1 description d&e" } },
  form_data_pipeDelimited_nonExploded: { form: { array: "x|y+z", object: "name|n+1|description|d&e" } },
  form_data_deepObject_exploded: { form: { primitive: PRIMITIVE, ...deep } },
};

/** The document, the operation, its input, and what httpbin says it got. */
export const BODY_CASES: readonly (readonly [string, string, JsonRecord, object])[] = [
  [
    "form-data",
    "demoFormData",
    { client_id: "a b", client_secret: "s&t=ü", scope: 5 },
    { form: { client_id: "a b", client_secret: "s&t=ü", scope: "5" } },
  ],
  [
    "file-uploads",
    "post_anything_image-png",
    { body: { base64: "iVBORw0KGgo=" } },
    { data: "data:application/octet-stream;base64,iVBORw0KGgo=", headers: { "Content-Type": "image/png" } },
  ],
  [
    "file-uploads",
    "post_anything_multipart-formdata",
    { orderId: 1, documentFile: { text: "hellö\r\n--x", filename: 'a "b".txt' } },
    { form: { orderId: "1" }, files: { documentFile: "hellö\r\n--x" } },
  ],
  [
    "file-uploads",
    "put_anything_multipart-formdata",
    { filename: ["one", { text: "two" }] },
    // It shows the first of a name.
    { files: { filename: "one" } },
  ],
  [
    "parameters-extreme",
    "post_anything_all-param-types_id_id2",
    { id: 1, id2: 2, body_id: 3, name: "Rex", cookieInt: 4, queryParam: "q", "x-header-value": "h" },
    {
      args: { queryParam: "q" },
      headers: { Cookie: "cookieInt=4", "X-Header-Value": "h", "Content-Type": "application/json" },
      json: { id: 3, name: "Rex" },
      path: "/anything/all-param-types/1/2",
    },
  ],
];

/** For every scheme of the documents. */
export const SECRETS: Readonly<Record<string, Credential>> = {
  apiKey_cookie: "in cookie",
  apiKey_header: "in header",
  apiKey_query: "in query",
  basic: { username: "ada", password: "secret" },
  bearer: "some token",
  oauth2: "token of oauth",
};

/** By operation. */
export const SECURITY_CASES: Readonly<Record<string, object>> = {
  get_anything_apiKey: { args: { apiKey: "in query" } },
  post_anything_apiKey: { headers: { Cookie: "api_key=in%20cookie" } },
  put_anything_apiKey: { headers: { "X-Api-Key": "in header" } },
  post_anything_basic: { headers: { Authorization: "Basic YWRhOnNlY3JldA==" } },
  post_anything_bearer: { headers: { Authorization: "Bearer some token" } },
  post_anything_oauth2: { headers: { Authorization: "Bearer token of oauth" } },
  "get_anything_optional-auth": { args: { apiKey: "in query" } },
};
