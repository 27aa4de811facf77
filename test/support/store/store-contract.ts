/**
 * What every engine of the store must do, run once for each engine. Each test has a database of its
 * own, so the order of tests and what earlier runs left behind cannot matter.
 */
import { describe, test } from 'bun:test'
import type { Store } from '#store/store.ts'
import { catalogContract } from './store-contract-catalog.ts'
import { connectionContract } from './store-contract-connection.ts'
import { identitiesContract } from './store-contract-identities.ts'
import { identityContract } from './store-contract-identity.ts'
import { peopleContract } from './store-contract-people.ts'
import { keptContract } from './store-contract-kept.ts'
import { recomputeContract } from './store-contract-recompute.ts'
import { responsesContract } from './store-contract-responses.ts'
import { auditContract } from './store-contract-audit.ts'
import { provisioningContract } from './store-contract-provisioning.ts'
import { contentContract } from './store-contract-content.ts'
import { batchContract } from './store-contract-batches.ts'
import { uploadContract } from './store-contract-uploads.ts'
import { latencyContract, reportContract } from './store-contract-reports.ts'
import { vectorStoreContract } from './store-contract-vector-stores.ts'
import { usageContract } from './store-contract-usage.ts'
import type { StoreTest } from './store-test.ts'

export interface OpenedStore {
  readonly store: Store
  /** Closes the store and removes its database. */
  close(): Promise<void>
}

/** Declares the whole contract for one engine; with a reason, as skipped tests that name it. */
export function storeContract(name: string, open: () => Promise<OpenedStore>, reasonToSkip?: string): void {
  const storeTest: StoreTest = (guarantee, body) => {
    test(guarantee, async () => {
      const opened = await open()
      try {
        await body(opened.store)
      } finally {
        await opened.close()
      }
    })
  }
  const suite = reasonToSkip === undefined ? describe : describe.skip
  suite(reasonToSkip === undefined ? name : `${name} (skipped: ${reasonToSkip})`, () => {
    describe('users, groups, keys, sessions', () => identityContract(storeTest))
    describe('invitations, searches and orders', () => peopleContract(storeTest))
    describe('users as issuers know them', () => identitiesContract(storeTest))
    describe('providers, models, limits, settings', () => catalogContract(storeTest))
    describe('usage', () => usageContract(storeTest))
    describe('audit log', () => auditContract(storeTest))
    describe('content logs', () => contentContract(storeTest))
    describe('provisioning', () => provisioningContract(storeTest))
    describe('batches', () => batchContract(storeTest))
    describe('uploads', () => uploadContract(storeTest))
    describe('vector stores', () => vectorStoreContract(storeTest))
    describe('usage reports', () => {
      reportContract(storeTest)
      latencyContract(storeTest)
    })
    describe('usage that is priced again', () => recomputeContract(storeTest))
    describe('answers that providers hold', () => responsesContract(storeTest))
    describe('responses and conversations that the gateway keeps', () => keptContract(storeTest))
    describe('connection', () => connectionContract(storeTest))
  })
}
