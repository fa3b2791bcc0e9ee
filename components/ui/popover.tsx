'use client';

import { Popover as BasePopover } from '@base-ui/react/popover';
import type { ReactNode, RefObject } from 'react';

import { isCovered } from './cover';
import { useOpeningPress } from './use-opening-press';

interface PopoverProps {
  readonly title: ReactNode;
  readonly children: ReactNode;
  /** What it stands beside. */
  readonly anchor: Element | RefObject<Element | null> | null;
  readonly onClose: () => void;
  readonly initialFocus?: RefObject<HTMLElement | null>;
  readonly finalFocus?: () => HTMLElement | boolean;
}

/** A small question beside what it is about. */
export function Popover(props: PopoverProps) {
  useOpeningPress();
  return (
    <BasePopover.Root
      open
      // A press or a key over what covers it is not meant for this.
      onOpenChange={(isOpen) => !isOpen && !isCovered() && props.onClose()}
    >
      <BasePopover.Portal>
        <BasePopover.Positioner
          anchor={props.anchor}
          side="bottom"
          align="end"
          sideOffset={6}
          collisionPadding={12}
          className="z-40"
        >
          <BasePopover.Popup
            data-overlay=""
            initialFocus={props.initialFocus}
            finalFocus={props.finalFocus}
            className="flex max-h-(--available-height) w-[26rem] max-w-[calc(100vw-1.5rem)] flex-col gap-3 overflow-y-auto overscroll-contain rounded-dialog border border-control bg-surface p-4 shadow-overlay outline-none"
          >
            <BasePopover.Title className="text-title font-strong">{props.title}</BasePopover.Title>
            {props.children}
          </BasePopover.Popup>
        </BasePopover.Positioner>
      </BasePopover.Portal>
    </BasePopover.Root>
  );
}
