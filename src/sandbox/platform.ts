import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type * as v from 'valibot';
import type { ApiProblem } from './http/problem.ts';
import type { RequestBody } from './http/request-body.ts';
import type { RouteName } from './http/routes.ts';
import type { Bearer } from './oauth/grants.ts';
import type { Scope } from './oauth/scopes.ts';
import type { sentDay } from './resources/nutrition-day.ts';
import type { World } from './world.ts';

/** The type of Hono's context. Without a socket the bindings are missing. */
export interface SandboxEnv {
  Bindings: Partial<HttpBindings>;
  Variables: {
    world: World;
    /** Of the kind that the settings name. */
    platform: Platform;
    body: RequestBody;
    /** Of an endpoint that needs a token. */
    bearer: Bearer;
  };
}

/** A request to the platform, and what its endpoint needs to answer it. */
export type Call = Context<SandboxEnv>;

type Handler = (c: Call) => Response | Promise<Response>;

/** A kind of platform: its endpoints, and what else differs between the kinds. */
export interface Platform {
  readonly routes: Readonly<Partial<Record<RouteName, Handler>>>;
  /** Answers a request to none of its routes. @throws Problem */
  readonly otherwise: Handler;
  readonly scopes: readonly Scope[];
  /** When a login with another scope is refused; `never`: it is not granted. */
  readonly refusesScopes: 'when asked' | 'when approved' | 'never';
  readonly error: (problem: ApiProblem, url: string) => Response;
  /**
   * Answers an upload or a day that was stored.
   * @param body the answer of Coach Watts
   */
  readonly stored: (id: string, body: object) => Response;
  /** Returns the day under which a record is stored. @throws Problem if `date` is invalid */
  readonly dayOf: (date: string) => string;
  readonly wellness: v.GenericSchema<unknown, WellnessRecord>;
  /** Converts a sent day to the units of its columns. */
  readonly adapted: (sent: Fields) => Fields;
  readonly nutrition: v.GenericSchema<unknown, v.InferOutput<typeof sentDay>>;
  /** Whether a nutrition day that is sent again adds its items, or replaces the day. */
  readonly addsItems: boolean;
  /** Name of an upload's file part. */
  readonly filePart: string;
  /** Returns the name under which a sent file is stored. */
  readonly fileName: (sent: string) => string;
  /** Whether the second upload of a recording is a 409. */
  readonly refusesKnown: boolean;
  /** Whether unknown parts and query parameters are refused. */
  readonly isStrict: boolean;
}

type Fields = Readonly<Record<string, unknown>>;
type WellnessRecord = Fields & { readonly date: string; readonly rawJson?: unknown };
