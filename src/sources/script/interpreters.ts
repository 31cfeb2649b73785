import { basename, extname } from "node:path";

interface Interpreter {
  /** What it is called, also with a version. */
  readonly called: RegExp;
  /** What starts it, for files that do not say so themselves. */
  readonly program: string;
  readonly extensions: readonly string[];
  /** Flags after which comes code or a module, and no file. */
  readonly inline: RegExp;
  /** Flags whose value is the next argument. */
  readonly valued: readonly string[];
}

const INTERPRETERS: readonly Interpreter[] = [
  {
    called: /^node(js)?$/,
    program: process.execPath,
    extensions: [".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"],
    inline: /^(-[a-z]*[ep]|--eval|--print)/,
    valued: ["-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions", "--env-file"],
  },
  {
    called: /^(python|pypy)[\d.]*$/,
    program: process.platform === "win32" ? "python" : "python3",
    extensions: [".py"],
    inline: /^-[A-Za-z]*[cm]/,
    valued: ["-X", "-W"],
  },
  { called: /^(a|da|k)?sh$/, program: "sh", extensions: [".sh"], inline: /^-[a-z]*c/, valued: ["-o"] },
  {
    called: /^(ba|z)sh$/,
    program: "bash",
    extensions: [".bash"],
    inline: /^-[a-z]*c/,
    valued: ["-o", "-O", "--rcfile", "--init-file"],
  },
  { called: /^ruby[\d.]*$/, program: "ruby", extensions: [".rb"], inline: /^-[a-z]*e/, valued: ["-I", "-r", "-C"] },
  { called: /^perl[\d.]*$/, program: "perl", extensions: [".pl"], inline: /^-[a-z]*[eE]/, valued: ["-I"] },
  { called: /^php[\d.]*$/, program: "php", extensions: [".php"], inline: /^-r/, valued: ["-d", "-c"] },
  { called: /^lua[\d.]*$/, program: "lua", extensions: [".lua"], inline: /^-e/, valued: ["-l"] },
];

/** All the extensions by which a file is known to be a script. */
export const SCRIPT_EXTENSIONS: readonly string[] = INTERPRETERS.flatMap(({ extensions }) => extensions);

/** What runs a file of this name, by its extension. */
export function programFor(file: string): string | undefined {
  const extension = extname(file).toLowerCase();
  return INTERPRETERS.find(({ extensions }) => extensions.includes(extension))?.program;
}

/** The arguments of an interpreter among which its script is: none where its code is an argument. */
export function scriptCandidates([program = "", ...words]: readonly string[]): readonly string[] | undefined {
  const called = basename(program)
    .replace(/\.exe$/i, "")
    .toLowerCase();
  const interpreter = INTERPRETERS.find((one) => one.called.test(called));
  if (interpreter === undefined) return undefined;
  const { inline, valued } = interpreter;
  const candidates: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string;
    if (!word.startsWith("-")) candidates.push(word);
    else if (valued.includes(word)) at += 1;
    // What follows belongs to the code.
    else if (inline.test(word) || word === "-") break;
  }
  return candidates;
}
