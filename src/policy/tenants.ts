/**
 * One process for many tenants: each has its policy, its store and its record, and sees nothing of another's. What stands
 * above all of them, the machine's and the user's policy, is read once, so that a tenant costs what its own hooks cost.
 *
 * ```ts
 * const policies = openPolicies({ dirOf: (tenant) => `tenants/${tenant}`, storeOf: (tenant) => new FileRunStore(`state/${tenant}`) });
 * const policy = await policies.for('acme');
 * ```
 */
import { resolve } from 'node:path';
import { HarnessError } from '../base/index.ts';
import type { Recorder, RunStore } from '../engine/index.ts';
import { SharedLayers } from './loaded-layer.ts';
import { openPolicy, type PolicyOptions } from './open-policy.ts';
import type { Policy } from './policy.ts';
import { FileRunStore } from './stores/file-run-store.ts';

export interface PoliciesOptions extends Omit<PolicyOptions, 'store' | 'recorder'> {
  /** The folder of a tenant. The name has been checked: no part of it leads anywhere else. */
  readonly dirOf: (tenant: string) => string;
  /** Where the guards of a tenant count and remember; by default in memory. Two tenants are never given one store. */
  readonly storeOf?: (tenant: string) => RunStore;
  readonly recorderOf?: (tenant: string) => Recorder;
}

/** As a part of a path it is one name, on every system. */
const TENANT = /^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/;

export class Policies {
  private readonly options: PoliciesOptions;
  private readonly open = new Map<string, Promise<Policy>>();
  private readonly shared = new SharedLayers();
  /** The tenant that each has been given to; one of files is its folder. */
  private readonly stores = new Map<RunStore | string, string>();

  constructor(options: PoliciesOptions) {
    this.options = options;
  }

  /** Opened when first asked for. Rejects with TENANT_INVALID for what is no name, and for a store that is another's. */
  for(tenant: string): Promise<Policy> {
    const known = this.open.get(tenant);
    if (known !== undefined) return known;
    const opening = this.openFor(tenant);
    this.open.set(tenant, opening);
    opening.catch(() => this.open.delete(tenant));
    return opening;
  }

  /** The next `for` reads the tenant anew; with no name, all of them and what stands above them. */
  forget(tenant?: string): void {
    if (tenant !== undefined) {
      this.open.delete(tenant);
      return;
    }
    this.open.clear();
    this.shared.clear();
  }

  get tenants(): readonly string[] {
    return [...this.open.keys()];
  }

  private async openFor(tenant: string): Promise<Policy> {
    if (typeof tenant !== 'string' || !TENANT.test(tenant) || tenant.includes('..'))
      throw new HarnessError(
        'TENANT_INVALID',
        `the tenant name ${JSON.stringify(tenant)} is not allowed: want 1 to 64 lower-case letters, digits, ., _ and -`,
      );
    const { dirOf, storeOf, recorderOf, ...options } = this.options;
    const store = storeOf?.(tenant);
    if (store !== undefined) this.claim(store, tenant);
    return openPolicy(dirOf(tenant), {
      ...options,
      shared: this.shared,
      ...(store !== undefined && { store }),
      ...(recorderOf !== undefined && { recorder: recorderOf(tenant) }),
    });
  }

  private claim(store: RunStore, tenant: string): void {
    const place = store instanceof FileRunStore ? resolve(store.dir) : store;
    const owner = this.stores.get(place) ?? tenant;
    if (owner !== tenant)
      throw new HarnessError('TENANT_INVALID', `the tenants "${owner}" and "${tenant}" were given one store`);
    this.stores.set(place, tenant);
  }
}

export function openPolicies(options: PoliciesOptions): Policies {
  return new Policies(options);
}
