// The library of VS Code's language clients against `pelorus lsp`: one session with every kind of message.
//
//     node language_client.mjs NODE_MODULES PELORUS
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import assert from 'node:assert'

const [packages, pelorus] = process.argv.slice(2)
const require = createRequire(resolve(packages, 'none.js'))
const protocol = require('vscode-languageserver-protocol/node')

const server = spawn(pelorus, ['lsp', '--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] })
const ended = new Promise(done => server.on('exit', done))
const connection = protocol.createProtocolConnection(
    new protocol.StreamMessageReader(server.stdout), new protocol.StreamMessageWriter(server.stdin))
const published = []
let waiting = null
connection.onNotification(protocol.PublishDiagnosticsNotification.type, told => {
    published.push(told)
    waiting?.()
})
const errors = []
connection.onError(([error]) => errors.push(error))
connection.listen()

const uri = 'file:///demo.dos'
const text = 'def twice(x) { return x * 2 }\ny = twice(3)\ns = "\u{1F600}"; z = twice(y)\n'
const position = (line, character) => ({ textDocument: { uri }, position: { line, character } })

const initialized = await connection.sendRequest(protocol.InitializeRequest.type, { processId: process.pid, rootUri: null, capabilities: {} })
assert.equal(initialized.capabilities.positionEncoding, 'utf-16')
await connection.sendNotification(protocol.InitializedNotification.type, {})
console.log('ok initialize')

const told = new Promise(done => { waiting = done })
await connection.sendNotification(protocol.DidOpenTextDocumentNotification.type, { textDocument: { uri, languageId: 'dos', version: 1, text } })
await told
assert.deepEqual(published[0], { uri, version: 1, diagnostics: [] })
console.log('ok diagnostics')

const hover = await connection.sendRequest(protocol.HoverRequest.type, position(1, 5))
assert.match(hover.contents.value, /def twice\(x\)/)
const definition = await connection.sendRequest(protocol.DefinitionRequest.type, position(2, 16))
assert.deepEqual(definition.range, { start: { line: 0, character: 4 }, end: { line: 0, character: 9 } })
const completion = await connection.sendRequest(protocol.CompletionRequest.type, position(1, 9))
assert.ok(completion.items.some(item => item.label === 'twice'))
const rename = await connection.sendRequest(protocol.RenameRequest.type, { ...position(1, 5), newName: 'double2' })
assert.deepEqual(rename.changes[uri].map(edit => edit.range.start), [{ line: 0, character: 4 }, { line: 1, character: 4 }, { line: 2, character: 14 }])
console.log('ok requests')

// Cancelled ones are answered, too, with the error of the protocol or with the result.
const source = new protocol.CancellationTokenSource()
const cancelled = connection.sendRequest(protocol.WorkspaceSymbolRequest.type, { query: '' }, source.token).then(() => null, error => error)
source.cancel()
const error = await cancelled
assert.ok(error === null || error.code === protocol.LSPErrorCodes.RequestCancelled, error)
await assert.rejects(connection.sendRequest('textDocument/nothing', {}), { code: protocol.ErrorCodes.MethodNotFound })
console.log('ok errors')

await connection.sendRequest(protocol.ShutdownRequest.type)
await connection.sendNotification(protocol.ExitNotification.type)
assert.equal(await ended, 0)
assert.deepEqual(errors, [])
console.log('ok end')
