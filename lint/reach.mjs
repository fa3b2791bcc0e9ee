import path from 'node:path';

/**
 * A rule on what of ours a room imports: its own files and those of the rooms that it may reach. Every spelling of a path
 * is resolved first, `@/…` as well as `../…`, and in exports, types and `import()` as well as in imports.
 *
 * @param {string} root the repository's folder, which `@/` stands for.
 */
export function reach(root) {
  return {
    meta: {
      type: 'problem',
      schema: [
        {
          type: 'object',
          properties: {
            rooms: { type: 'array', items: { type: 'string' } },
            room: { type: 'string' },
            mayReach: { type: 'array', items: { type: 'string' } },
          },
          required: ['rooms', 'room', 'mayReach'],
          additionalProperties: false,
        },
      ],
      messages: { forbidden: '{{room}} may not import {{other}}: see lint/rooms.mjs.' },
    },
    create(context) {
      const [{ rooms, room, mayReach }] = context.options;
      const folder = path.dirname(context.filename);

      function check({ source }) {
        const target =
          typeof source?.value === 'string' ? resolve(source.value, folder, root) : null;
        if (target === null) return;
        const other = roomOf(target, rooms);
        if (other === room || mayReach.includes(other)) return;
        context.report({ node: source, messageId: 'forbidden', data: { room, other } });
      }

      return {
        ImportDeclaration: check,
        ImportExpression: check,
        ExportAllDeclaration: check,
        ExportNamedDeclaration: check,
        TSImportType: check,
      };
    },
  };
}

/** The imported file from the root on, with `/`; null for a package. */
function resolve(specifier, folder, root) {
  if (specifier.startsWith('@/')) return path.posix.normalize(specifier.slice(2));
  if (!/^\.{1,2}(\/|$)/.test(specifier)) return null;
  return path.relative(root, path.resolve(folder, specifier)).replaceAll(path.sep, '/');
}

/** The innermost room that a file is in; outside of all rooms, its top folder, or of `lib` the one below. */
function roomOf(target, rooms) {
  const inside = rooms.filter((room) => target === room || target.startsWith(`${room}/`));
  inside.sort((one, other) => other.length - one.length);
  const parts = target.split('/');
  return inside[0] ?? parts.slice(0, parts[0] === 'lib' ? 2 : 1).join('/');
}
