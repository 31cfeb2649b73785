import type { OperationSpec } from "../../registry/operation.js";
import { nearestOf } from "../../registry/refusals.js";
import { wordsOf } from "./words.js";

/** How much a word counts, by where it stands. */
const WEIGHTS = { name: 4, title: 3, tags: 2, namespace: 2, description: 1 };

/** The usual constants of BM25: how soon more of the same word adds nothing, and how much length counts. */
const SATURATION = 1.2;
const LENGTH = 0.75;

/** What a word counts that only begins as the one that was asked for, or was probably meant. */
const SIMILAR = 0.5;

/** From this length on a word of a query may be the beginning of one. */
const LEAST_BEGINNING = 3;

/** Each word of a query is compared with all that are known, so nobody asks with a whole book. */
const MOST_WORDS = 50;

interface Document {
  readonly spec: OperationSpec;
  /** How often a word stands there, by weight. */
  readonly counts: ReadonlyMap<string, number>;
  readonly length: number;
}

/** The words of operations are looked for once. */
const KNOWN = new WeakMap<OperationSpec, Document>();

/** Finds operations by the words of their ids, titles, descriptions and tags, the best first. */
export class SearchIndex {
  readonly #documents: readonly Document[];
  readonly #byWord = new Map<string, Document[]>();
  readonly #meanLength: number;

  constructor(specs: readonly OperationSpec[]) {
    this.#documents = specs.map(documentOf);
    for (const document of this.#documents)
      for (const word of document.counts.keys()) {
        const others = this.#byWord.get(word);
        if (others === undefined) this.#byWord.set(word, [document]);
        else others.push(document);
      }
    const total = this.#documents.reduce((sum, { length }) => sum + length, 0);
    this.#meanLength = Math.max(1, total / Math.max(1, this.#documents.length));
  }

  find(query: string): readonly OperationSpec[] {
    const words = [...new Set(wordsOf(query))].slice(0, MOST_WORDS);
    const found = new Map<Document, { score: number; words: number }>();
    for (const word of words)
      for (const [document, score] of this.#scoresOf(word)) {
        const before = found.get(document) ?? { score: 0, words: 0 };
        found.set(document, { score: before.score + score, words: before.words + 1 });
      }
    return [...found]
      .map(([{ spec }, { score, words: matched }]) => ({ spec, score: (score * matched) / words.length }))
      .sort((one, other) => other.score - one.score)
      .map(({ spec }) => spec);
  }

  /** A word and those that begin with it count as one. */
  #scoresOf(word: string): ReadonlyMap<Document, number> {
    const counts = new Map<Document, number>();
    for (const [meant, share] of this.#meantBy(word))
      for (const document of this.#byWord.get(meant) ?? [])
        counts.set(document, (counts.get(document) ?? 0) + share * (document.counts.get(meant) ?? 0));
    const rarity = Math.log(1 + (this.#documents.length - counts.size + 0.5) / (counts.size + 0.5));
    return new Map([...counts].map(([document, count]) => [document, rarity * this.#saturated(count, document)]));
  }

  #saturated(count: number, { length }: Document): number {
    const share = 1 - LENGTH + (LENGTH * length) / this.#meanLength;
    return (count * (SATURATION + 1)) / (count + SATURATION * share);
  }

  #meantBy(word: string): readonly (readonly [word: string, share: number])[] {
    const known = [...this.#byWord.keys()];
    const longer = word.length < LEAST_BEGINNING ? [] : known.filter((one) => one !== word && one.startsWith(word));
    if (this.#byWord.has(word)) return [[word, 1], ...longer.map((one) => [one, SIMILAR] as const)];
    if (longer.length > 0) return longer.map((one) => [one, SIMILAR]);
    const nearest = word.length > LEAST_BEGINNING ? nearestOf(word, known) : undefined;
    return nearest === undefined ? [] : [[nearest, SIMILAR]];
  }
}

function documentOf(spec: OperationSpec): Document {
  const known = KNOWN.get(spec);
  if (known !== undefined) return known;
  const { name, namespace, title = "", description, tags = [] } = spec;
  const texts = { name, namespace, title, description, tags: tags.join(" ") };
  const counts = new Map<string, number>();
  let length = 0;
  for (const [part, weight] of Object.entries(WEIGHTS) as [keyof typeof WEIGHTS, number][])
    for (const word of wordsOf(texts[part])) {
      counts.set(word, (counts.get(word) ?? 0) + weight);
      length += 1;
    }
  const document = { spec, counts, length };
  KNOWN.set(spec, document);
  return document;
}
