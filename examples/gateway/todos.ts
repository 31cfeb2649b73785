// Operations in TypeScript. Change this file while the gateway runs: the next call finds the new code.
import { CallError, defineOperation } from "plico";

interface Todo {
  readonly id: number;
  readonly text: string;
  isDone: boolean;
}

const todos: Todo[] = [
  { id: 1, text: "Read the README", isDone: true },
  { id: 2, text: "Put Plico in front of every tool", isDone: false },
];

const todo = {
  type: "object",
  properties: { id: { type: "integer" }, text: { type: "string" }, isDone: { type: "boolean" } },
  required: ["id", "text", "isDone"],
} as const;

const common = { namespace: "todos", version: "1.0.0" } as const;

export const list = defineOperation({
  ...common,
  name: "list",
  type: "query",
  description: "All todos, or only those that are open.",
  annotations: { readOnly: true },
  inputSchema: {
    type: "object",
    properties: { open: { type: "boolean", description: "only those that are not done" } },
  },
  outputSchema: { type: "array", items: todo },
  handler: ({ open = false }) => todos.filter(({ isDone }) => !open || !isDone),
});

export const add = defineOperation({
  ...common,
  name: "add",
  type: "mutation",
  description: "Adds a todo.",
  inputSchema: { type: "object", properties: { text: { type: "string", minLength: 1 } }, required: ["text"] },
  outputSchema: todo,
  handler: ({ text }) => {
    const added = { id: todos.length + 1, text, isDone: false };
    todos.push(added);
    return added;
  },
});

export const finish = defineOperation({
  ...common,
  name: "finish",
  type: "mutation",
  description: "Marks a todo as done.",
  annotations: { idempotent: true },
  inputSchema: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] },
  outputSchema: todo,
  errorSchemas: { NO_SUCH_TODO: { category: "not_found" } },
  handler: ({ id }) => {
    const found = todos.find((one) => one.id === id);
    if (found === undefined)
      throw new CallError({ category: "not_found", code: "NO_SUCH_TODO", message: `There is no todo ${id}.` });
    found.isDone = true;
    return found;
  },
});
