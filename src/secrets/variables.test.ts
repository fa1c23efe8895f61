import { describe, expect, it } from 'vitest';
import { secretVariables } from './variables.ts';

function found(variables: Record<string, string>): Record<string, string> {
  const environment = { env: (name: string) => variables[name], variables: () => variables };
  return Object.fromEntries(secretVariables(environment).map(({ name, value }) => [value, name]));
}

describe('variables of an environment', () => {
  it('that hold secrets are told by their names', () => {
    expect(
      found({
        MY_DB_PASSWORD: 'swordfish',
        CORP_SESSION: 'a81f77c2',
        X_API_KEY: 'k9-xyz',
        HOME: '/home/ann',
      }),
    ).toEqual({
      swordfish: 'env:MY_DB_PASSWORD',
      a81f77c2: 'env:CORP_SESSION',
      'k9-xyz': 'env:X_API_KEY',
    });
  });

  it('that everybody knows, and those an operator lists, count whatever their values look like', () => {
    expect(found({ GITHUB_TOKEN: 'password', HARNESS_REDACT_ENV: 'PLAIN, ', PLAIN: 'development' })).toEqual({
      password: 'env:GITHUB_TOKEN',
      development: 'env:PLAIN',
    });
  });

  it('lend the password of an address', () => {
    expect(found({ DATABASE_URL: 'postgres://app:fr0m-the-url@db/app' })).toEqual({
      'fr0m-the-url': 'env:DATABASE_URL',
    });
  });

  it.each([
    ['SSH_AUTH_SOCK', '/run/user/1000/ssh-agent.sock'],
    ['XDG_SESSION_ID', '2'],
    ['DESKTOP_SESSION', 'gnome-xorg'],
    ['DBUS_SESSION_BUS_ADDRESS', 'unix:path=/run/user/1000/bus'],
    ['TOKEN_TTL', '15m0s-long'],
    ['DB_PASSWORD', 'postgres'],
    ['PASSWORD', 'changeme'],
    ['API_KEY', '12345'],
    ['SECRET_KEY_FILE', '/run/secrets/key'],
    ['GIT_ASKPASS', '/usr/lib/git-core/askpass1'],
    ['PWD', '/home/ann/src7'],
  ])('leave %s alone', (name, value) => {
    expect(found({ [name]: value })).toEqual({});
  });
});
