import { type Command, usageError } from "../command.js";
import type { ExitCode, Io } from "../io.js";
import { SCRIPTS, SHELLS, type Shell } from "./completion-scripts.js";
import { type FileNames, type Suggestion, suggestionsFor } from "./completion-words.js";

export const completionCommand: Command = {
  name: "completion",
  usage: "bash|zsh|fish",
  summary: "Prints what a shell runs to complete commands, flags, sources, operations and their inputs.",
  takes: "words",
  flags: {},
  notes: [
    'bash: put  eval "$(plico completion bash)"  into ~/.bashrc',
    'zsh:  put  eval "$(plico completion zsh)"   into ~/.zshrc, after compinit',
    "fish: put  plico completion fish | source   into ~/.config/fish/config.fish",
    "",
    "Operations are those that `plico ls` has last listed; no source is started to complete a word.",
  ],
  async run({ words: [shell, ...rest] }, io) {
    // What the scripts ask.
    if (shell === "words") return answer(rest, io);
    if (!isShell(shell) || rest.length > 0)
      throw usageError(
        completionCommand,
        shell === undefined ? "name the shell" : `"${shell}" is no shell that is known`,
      );
    io.stdout.write(SCRIPTS[shell]);
    return 0;
  },
};

function isShell(name: string | undefined): name is Shell {
  return SHELLS.includes(name as Shell);
}

async function answer(words: readonly string[], io: Io): Promise<ExitCode> {
  const suggestions = await suggestionsFor(words, io);
  io.stdout.write("filesAfter" in suggestions ? filesLine(suggestions) : suggestions.map(lineOf).join(""));
  return 0;
}

function filesLine({ filesAfter }: FileNames): string {
  return filesAfter === "" ? ":files\n" : `:files\t${filesAfter}\n`;
}

function lineOf({ word, about }: Suggestion): string {
  // A control character in a description would be one in the terminal.
  const told = about?.replaceAll(/[\p{Cc}\p{Bidi_Control}]+/gu, " ");
  return told === undefined || told === "" ? `${word}\n` : `${word}\t${told}\n`;
}
