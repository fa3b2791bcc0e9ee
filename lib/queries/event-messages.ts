/** Server-sent events as the standard parses them. */
export interface EventMessage {
  /** The place to resume from, after this message. */
  readonly lastId: string;
  readonly event: string;
  /** Empty for a message that only moves the place on. */
  readonly data: string;
}

/** Takes text as it comes, cut anywhere, and hands out whole messages. */
export function createMessageParser(lastId: string): (chunk: string) => EventMessage[] {
  let rest = '';
  let place = lastId;
  return (chunk) => {
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    return blocks.map((block) => {
      const message = parseBlock(block, place);
      place = message.lastId;
      return message;
    });
  };
}

function parseBlock(block: string, lastId: string): EventMessage {
  let message: EventMessage = { lastId, event: 'message', data: '' };
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    const value = line.slice(colon + 1).replace(/^ /, '');
    switch (line.slice(0, colon)) {
      case 'id':
        message = { ...message, lastId: value };
        break;
      case 'event':
        message = { ...message, event: value };
        break;
      case 'data':
        message = { ...message, data: message.data + value };
        break;
      default:
      // Comments, and what the standard may add.
    }
  }
  return message;
}
