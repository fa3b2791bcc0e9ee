/**
 * Calls by verb and outcome, and how long they took. Counted in plain numbers: prom-client would take over a microsecond
 * for what is on the way of every call.
 */
export class CallMetrics {
  readonly #verbs = new Map<string, VerbMetrics>();

  note(verb: string, outcome: string, tookMs: number): void {
    let of = this.#verbs.get(verb);
    if (of === undefined) {
      of = { outcomes: new Map(), buckets: boundsMs.map(() => 0), count: 0, sumMs: 0 };
      this.#verbs.set(verb, of);
    }
    of.outcomes.set(outcome, (of.outcomes.get(outcome) ?? 0) + 1);
    of.count += 1;
    of.sumMs += tookMs;
    const place = boundsMs.findIndex((bound) => tookMs <= bound);
    if (place !== -1) of.buckets[place] = (of.buckets[place] ?? 0) + 1;
  }

  /** As Prometheus reads it. Verbs and outcomes are words of ours, and need no escaping. */
  text(): string {
    const lines = [
      '# HELP holdfast_calls_total Calls of the API, by endpoint and outcome',
      '# TYPE holdfast_calls_total counter',
    ];
    for (const [verb, { outcomes }] of this.#verbs) {
      for (const [outcome, count] of outcomes) {
        lines.push(`holdfast_calls_total{verb="${verb}",outcome="${outcome}"} ${count}`);
      }
    }
    const name = 'holdfast_call_duration_seconds';
    lines.push(`# HELP ${name} How long calls of the API took, by endpoint`);
    lines.push(`# TYPE ${name} histogram`);
    for (const [verb, { buckets, count, sumMs }] of this.#verbs) {
      let upTo = 0;
      boundsMs.forEach((bound, place) => {
        upTo += buckets[place] ?? 0;
        lines.push(`${name}_bucket{verb="${verb}",le="${bound / 1000}"} ${upTo}`);
      });
      lines.push(`${name}_bucket{verb="${verb}",le="+Inf"} ${count}`);
      lines.push(`${name}_sum{verb="${verb}"} ${sumMs / 1000}`);
      lines.push(`${name}_count{verb="${verb}"} ${count}`);
    }
    return `${lines.join('\n')}\n`;
  }
}

interface VerbMetrics {
  readonly outcomes: Map<string, number>;
  /** How many took up to each bound, and longer than the bound before. */
  readonly buckets: number[];
  count: number;
  sumMs: number;
}

const boundsMs = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000];
