import { expect, it } from 'vitest';
import { LISTS } from './offers.ts';
import { PinnedList } from './pinned-list.ts';

it('a server that never answers `tools/list` costs its calls a refusal, and they do not wait for ever', async () => {
  const list = new PinnedList(
    LISTS['tools/list']!,
    'tools/list',
    {
      pins: () => ({ echo: { digest: 'x', description: '' } }),
      onPinned: (_kind, pins) => pins,
      askToAccept: async () => null,
      onAccepted: () => {},
      onChange: 'hide',
      offer: async () => null,
      note: () => {},
      listMs: 20,
    },
    () => new Promise(() => {}),
  );
  const objection = await list.objection('echo', {}, null);
  expect(objection).toMatchObject({ reason: 'the server does not say what it offers', hides: true });
});
