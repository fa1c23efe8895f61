/** Policy: guards that are off first, then the chain of each event, packs with their rules, and what `validate` says. */

import { useState } from 'preact/hooks';
import { visible } from '../src/base/visible.ts';
import type {
  HookView,
  PackView,
  PolicyView,
  ProblemView,
  TestsView,
  Traffic,
} from '../src/page/server/api.ts';
import { encoded, pathTo, query, withQuery } from './address.ts';
import { ask, useLoad } from './api.ts';
import { ExceptionPanel, exceptedRule, exceptionHref } from './exception.tsx';
import { ago } from './figures.ts';
import { count, moment, Problem, Text, Waiting } from './words.tsx';

export function PolicyPage() {
  const { data, error } = useLoad<PolicyView>('/policy', ({ done }) => (done ? 5000 : 1000));
  const { data: found } = useLoad<{ problems: readonly ProblemView[] }>('/policy/problems');
  const excepted = exceptedRule();
  const exception = excepted !== null && <ExceptionPanel key={excepted} rule={excepted} />;
  if (data === null)
    return (
      <main class="scroll">
        {exception}
        <h1>Policy</h1>
        {error === null ? <Waiting what="Reading the policy" /> : <Problem>{error}</Problem>}
      </main>
    );
  const { off, failOpen, broken, chains, packs, unnamed, asking, done } = data;
  const problems = found?.problems ?? [];
  const wanted = query.value.get('event') ?? 'tool.pre';
  const shown = chains.find(({ event }) => event === wanted) ?? chains[0];
  return (
    <main class="scroll">
      {exception}
      <h1>Policy</h1>
      <p class="quiet">
        <span class="mono">
          <Text of={data.dir} />
        </span>
        {data.digest === null ? '' : `, ${data.digest.slice(0, 12)}`}, {data.strict ? 'strict' : 'not strict'}
        ; layers: {data.layers.length === 0 ? 'none' : ''}
        {data.layers.map(({ name, dir }) => (
          <span key={dir} title={dir}>
            {' '}
            {name}
          </span>
        ))}
      </p>
      {isEmpty(data) ? (
        <section id="off" class="off-box">
          <h2>! Nothing guards this folder: it has no hook, and every event is allowed</h2>
          <p>
            Only what is built in holds. <code>harness init</code> writes hooks and rules for a folder.
          </p>
        </section>
      ) : (
        <Off off={off} failOpen={failOpen} broken={broken} done={done} />
      )}
      {problems.length > 0 && (
        <section>
          <h2>{count(problems.length, 'problem')}</h2>
          <ul class="problems">
            {problems.map((problem, i) => (
              // Two may read the same.
              <li key={`${i} ${problem.code}`}>
                <span class={problem.severity === 'error' ? 'v-block' : 'v-ask'}>{problem.severity}</span>{' '}
                <span class="mono quiet">
                  <Text of={problem.place ?? ''} />
                </span>{' '}
                <Text of={problem.message} /> <span class="quiet">{problem.code}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <nav class="saved flush" aria-label="Events">
        {chains.map(({ event, hooks }) => (
          <a
            key={event}
            class="chip"
            href={withQuery({ event })}
            aria-current={event === shown?.event ? 'true' : undefined}
          >
            {event} <span class="quiet">{hooks.length}</span>
          </a>
        ))}
      </nav>
      {(shown === undefined ? [] : [shown]).map(({ event, authority, hooks }) => (
        <section key={event}>
          <h2>
            {event} <span class="quiet">{authority}, in this order</span>
          </h2>
          <div class="table" role="region" aria-label={event} tabIndex={0}>
            <table class="hooks">
              <thead>
                <tr>
                  <th scope="col" class="num">
                    priority
                  </th>
                  <th scope="col">hook</th>
                  {data.layers.length > 1 && <th scope="col">layer</th>}
                  <th scope="col" class="num">
                    asked
                  </th>
                  <th scope="col" class="num">
                    stopped
                  </th>
                  <th scope="col" class="num">
                    asks
                  </th>
                  <th scope="col" class="num">
                    rewrote
                  </th>
                  <th scope="col" class="num">
                    failed
                  </th>
                  <th scope="col">last asked</th>
                </tr>
              </thead>
              <tbody>
                {hooks.map((hook) => (
                  <HookLine
                    key={`${hook.layer} ${hook.source} ${hook.name}`}
                    hook={hook}
                    withLayer={data.layers.length > 1}
                  />
                ))}
              </tbody>
            </table>
          </div>
        </section>
      ))}
      <Unnamed count={unnamed} />
      {packs.map((pack) => (
        <PackTable key={pack.name} pack={pack} />
      ))}
      <Tests />
      {asking.length > 0 && (
        <section id="asked">
          <h2>What people were asked</h2>
          <div class="table" role="region" aria-label="asked" tabIndex={0}>
            <table>
              <thead>
                <tr>
                  <th scope="col">rule</th>
                  <th scope="col">asked</th>
                  <th scope="col">allowed</th>
                  <th scope="col">denied</th>
                  <th scope="col">unanswered</th>
                  <th scope="col">last</th>
                </tr>
              </thead>
              <tbody>
                {asking.map((each) => (
                  <tr key={`${each.rule} ${each.place} ${each.folder}`}>
                    <td class="hook">
                      <b>
                        <Text of={each.rule} />
                      </b>{' '}
                      <span class="quiet mono">
                        <Text of={each.place} />
                      </span>
                    </td>
                    <td class="num">{each.asked}</td>
                    <td class="num">
                      {each.allowed} ({Math.round((each.allowed / Math.max(1, each.asked)) * 100)} %)
                    </td>
                    <td class="num">{each.denied}</td>
                    <td class="num">{each.unanswered}</td>
                    <td class="quiet">{moment(each.lastAsked)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </section>
      )}
      {chains.length === 0 && <p class="quiet">There are no hooks.</p>}
    </main>
  );
}

/** Nobody has written anything: "no guard is off" would be true, and the wrong thing to say. */
function isEmpty({ chains, packs, off, failOpen, broken }: PolicyView): boolean {
  const authored = chains.some(({ hooks }) => hooks.some(({ layer }) => layer !== 'built-in'));
  return !authored && packs.length === 0 && [off, failOpen, broken].every((list) => list.length === 0);
}

function Off({ off, failOpen, broken, done }: Pick<PolicyView, 'off' | 'failOpen' | 'broken' | 'done'>) {
  const none = off.length === 0 && failOpen.length === 0 && broken.length === 0;
  return (
    <section id="off" class={none ? 'off-none' : 'off-box'} aria-labelledby="off-title">
      <h2 id="off-title">
        {!none
          ? '! Guards that are off, or were'
          : done
            ? '✓ No guard is off, and none was in the runs shown here'
            : 'No guard is off; whether one was in the runs shown here is not read yet'}
      </h2>
      {!done && (
        <p role="status">Runs are still being read: more may follow, here and in the counts below.</p>
      )}
      {!none && (
        <ul>
          {off.map(({ id, text }) => (
            <li key={id}>
              <Text of={text} />
            </li>
          ))}
          {failOpen.map(({ run, count: times, last }) => (
            <li key={run}>
              in <a href={pathTo('runs', run)}>run {visible(run.slice(0, 8))}</a> a hook gave no decision{' '}
              {count(times, 'time')} and the operation went on; last {moment(last)}
            </li>
          ))}
          {broken.map(({ run, problem }) => (
            <li key={run}>
              <a href={pathTo('runs', run)}>run {visible(run.slice(0, 8))}</a> has no whole tape:{' '}
              <Text of={problem} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Run when somebody asks: it takes as long as the tests do. */
function Tests() {
  const [view, setView] = useState<TestsView | string | null>(null);
  const share = ({ hit, all }: TestsView['lines']) =>
    `${all === 0 ? 100 : Math.floor((hit / all) * 100)} % (${hit} of ${all})`;
  return (
    <section>
      <h2>What its tests show</h2>
      <p>
        <button
          type="button"
          onClick={() => {
            setView('running…');
            ask<TestsView>('/policy/tests', {}).then(setView, (failed: Error) => setView(failed.message));
          }}
        >
          Run the tests
        </button>{' '}
        <span role="status">
          {typeof view === 'string'
            ? view
            : view !== null &&
              `${count(view.passed, 'case')} passed, ${view.failed.length} failed; lines ${share(view.lines)}, decisions ${share(view.decisions)}`}
        </span>
      </p>
      {view !== null && typeof view !== 'string' && (
        <ul class="problems">
          {view.failed.map((name) => (
            <li key={name} class="v-block">
              failed: <Text of={name} />
            </li>
          ))}
          {view.untested.slice(0, 100).map(({ hook, place, what }) => (
            <li key={`${hook} ${place} ${what}`}>
              <b>
                <Text of={hook} />
              </b>{' '}
              <span class="mono quiet">
                <Text of={place} />
              </span>{' '}
              {what}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function HookLine({ hook, withLayer }: { hook: HookView; withLayer: boolean }) {
  const {
    name,
    layer,
    source,
    line,
    priority,
    when,
    description,
    mode,
    frontEnd,
    loaded,
    mayBeOff,
    traffic,
  } = hook;
  // Its rules stand below, each with its line.
  const isPack = frontEnd === 'packs';
  return (
    <tr>
      <td class="num quiet">{priority ?? 'last'}</td>
      <td class="hook">
        <a href={`/runs?view=decisions&hook=${encoded(name)}`}>
          <b>
            <Text of={name} />
          </b>
        </a>{' '}
        {mode !== 'enforce' && <span class="tag">{mode}</span>}
        {frontEnd !== 'markdown' && !isPack && <span class="tag">{frontEnd}</span>}
        {isIdle(hook) && (
          <span class="tag warn" title="in the runs shown here">
            not asked in 30 days
          </span>
        )}
        {!loaded && <span class="tag bad">could not be loaded: blocks</span>}
        {mayBeOff !== null && (
          <span class="tag bad" title={mayBeOff}>
            may be off
          </span>
        )}
        {!isPack && (
          <span class="quiet mono src">
            {' '}
            <Text of={`${source}${line === null ? '' : `:${line}`}`} />
          </span>
        )}
        {description !== null && (
          <div>
            <Text of={description} />
          </div>
        )}
        {when !== null && (
          <div class="quiet mono when">
            when <Text of={when} />
          </div>
        )}
        {mayBeOff !== null && (
          <div class="v-ask">
            <Text of={mayBeOff} />
          </div>
        )}
      </td>
      {withLayer && <td>{layer}</td>}
      <Numbers traffic={traffic} />
    </tr>
  );
}

const IDLE_MS = 30 * 24 * 60 * 60 * 1000;

/** It may have been asked before. */
function isIdle({ traffic }: HookView): boolean {
  return traffic === null || (traffic.last !== null && Date.now() - traffic.last > IDLE_MS);
}

function Numbers({ traffic }: { traffic: Traffic | null }) {
  if (traffic === null)
    return (
      <td class="quiet" colSpan={6}>
        never asked in the runs here
      </td>
    );
  const { calls, block, ask, modify, failures, failOpens, last } = traffic;
  return (
    <>
      <td class="num" data-label="asked">
        {calls.toLocaleString('en')}
      </td>
      <td class="num v-block" data-label="stopped">
        {block || ''}
      </td>
      <td class="num v-ask" data-label="asks">
        {ask || ''}
      </td>
      <td class="num v-modify" data-label="rewrote">
        {modify || ''}
      </td>
      <td class="num v-block" data-label="failed">
        {failures || ''}
        {failOpens > 0 ? ` (${failOpens} went on)` : ''}
      </td>
      <td class="quiet" title={moment(last)}>
        {ago(last)}
      </td>
    </>
  );
}

function Unnamed({ count: times }: { count: number }) {
  return times === 0 ? null : (
    <p class="v-ask" role="status">
      ! {count(times, 'stop')} of packs {times === 1 ? 'is' : 'are'} in no rule’s count: the tapes were
      written before rules were on record.
    </p>
  );
}

function PackTable({ pack }: { pack: PackView }) {
  const hits = pack.rules.reduce((sum, rule) => sum + rule.hits, 0);
  return (
    <section>
      <details>
        <summary>
          <h2>
            pack {pack.name}{' '}
            <span class="quiet">
              {count(pack.rules.length, 'rule')}, {count(hits, 'hit')}
            </span>
          </h2>
        </summary>
        <p>{pack.description}</p>
        <div class="table" role="region" aria-label={`pack ${pack.name}`} tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">rule</th>
                <th scope="col">mode</th>
                <th scope="col">hits</th>
                <th scope="col">last</th>
                <th scope="col">why</th>
                <th scope="col">
                  <span class="hidden">exception</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {[...pack.rules]
                .sort((a, b) => b.hits - a.hits)
                .map((rule) => (
                  <tr key={rule.name}>
                    <td>
                      <a href={`/runs?view=decisions&q=${encoded(rule.name)}`}>{rule.name}</a>
                    </td>
                    <td>{rule.mode}</td>
                    <td class="num">{rule.hits}</td>
                    <td class="quiet" title={rule.last === null ? undefined : moment(rule.last)}>
                      {rule.last === null ? 'never' : ago(rule.last)}
                    </td>
                    <td>
                      <Text of={rule.reason} />
                    </td>
                    <td>
                      <a href={exceptionHref(rule.name)}>Exception…</a>
                    </td>
                  </tr>
                ))}
            </tbody>
          </table>
        </div>
      </details>
    </section>
  );
}
