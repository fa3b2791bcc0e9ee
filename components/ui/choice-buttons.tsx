'use client';

interface ChoiceButtonsProps<Choice extends string> {
  /** What is chosen here, for those who don't see where the buttons stand. */
  readonly label: string;
  readonly choices: readonly Choice[];
  readonly chosen: Choice;
  readonly onChoose: (choice: Choice) => void;
  readonly textOf: (choice: Choice) => string;
}

/** One of a few, all of them in sight. */
export function ChoiceButtons<Choice extends string>(props: ChoiceButtonsProps<Choice>) {
  const { label, choices, chosen, onChoose, textOf } = props;
  return (
    <div role="group" aria-label={label} className="flex flex-wrap gap-1">
      {choices.map((choice) => (
        <button
          key={choice}
          type="button"
          aria-pressed={choice === chosen}
          onClick={() => onChoose(choice)}
          className="h-8 rounded-control border border-control bg-surface px-2.5 text-cell whitespace-nowrap text-dim hover:text-ink aria-pressed:border-ink aria-pressed:font-strong aria-pressed:text-ink"
        >
          {textOf(choice)}
        </button>
      ))}
    </div>
  );
}
