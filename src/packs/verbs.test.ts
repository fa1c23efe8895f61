import { describe, expect, it } from 'vitest';
import { writtenPacks } from '../../scripts/packs-text.ts';
import { namesOf } from './pack.ts';
import { shippedShared } from './shipped.ts';
import { OTHER, Verbs } from './verbs.ts';

const { verbs } = namesOf(writtenPacks().packs.find(({ pack }) => pack === 'flow')!, shippedShared());

describe('what a tool does', () => {
  it.each([
    ['get_email', 'read'],
    ['mcp__mail__listDrafts', 'read'],
    ['jira_get_issue', 'read'],
    ['message_search', 'read'],
    ['slack_get_message', 'read'],
    ['send_read_receipt', 'send'],
    ['mailing_list_add_entry', 'create'],
    ['find_and_replace', 'change'],
    ['list_create', 'create'],
    ['delete_list', 'delete'],
    ['saved_search_delete', 'delete'],
    ['list_open_issues', 'read'],
    ['view_order', 'read'],
    ['get_or_create_user', 'account'],
    ['slack_post_message', 'send'],
    ['email_user', 'send'],
    ['send_money', 'pay'],
    ['schedule_payment', 'pay'],
    ['cancel_payment', 'stop'],
    ['closeTicket', 'close'],
    ['delete_message', 'delete'],
    ['create_user', 'account'],
    ['grant_role', 'grant'],
    ['set_password', 'grant'],
    ['reserve-hotel', 'buy'],
    ['scale_service', OTHER],
    ['climate_schedule_delete', 'delete'],
    ['schedule_purge', 'delete'],
    ['update_uninstall', 'delete'],
    ['get_trash', 'read'],
    ['is_empty', 'read'],
  ])(
    'is the leading verb of its name, and no later word makes it a read: %s is of the class %s',
    (tool, kind) => {
      expect(verbs.of(tool).kind).toBe(kind);
    },
  );

  it('is asked for by the verb itself and by the words of its class, with their endings, and by those of no other class', () => {
    expect(verbs.licence(verbs.of('delete_branch'))).toEqual(
      expect.arrayContaining([
        'deleted',
        'deletes',
        'deleting',
        'removed',
        'removing',
        'rid',
        'dropped',
        'dropping',
      ]),
    );
    expect(verbs.licence(verbs.of('delete_branch'))).not.toContain('close');
    expect(verbs.licence(verbs.of('close_issue'))).not.toContain('delete');
    expect(verbs.licence(verbs.of('scale_service'))).toEqual(
      expect.arrayContaining(['scale', 'scaling', 'scaled']),
    );
  });

  it('of a pack without a table is its own class', () => {
    expect(new Verbs().of('get_email')).toEqual({ kind: OTHER, verb: 'get' });
  });
});
