// Scenarios of a debugger by an editor's test client, npm @vscode/debugadapter-testsupport, over three adapters: `pelorus dap`, the
// tunnel of an editor's connection to a node, and the unmodified debug adapter of the DolphinDB extension, which speaks the
// subprotocol "debug" of a node.
//
//     node debug_client.mjs MODULES PELORUS URL USER PASSWORD SCRATCH MODULE_FOLDER [ADAPTER]
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { connect, createServer } from 'node:net'

const [modules, pelorus, url, user, password, scratch, moduleFolder, adapter] = process.argv.slice(2)
const require = createRequire(modules + '/')
const { DebugClient } = require('@vscode/debugadapter-testsupport')
const WebSocket = require('ws')

const SCRIPT = `def twice(x) {
    y = 2 * x
    return y
}
def total(v) {
    sum = 0
    for (x in v) {
        sum = sum + twice(x)
    }
    return sum
}
a = 1 2 3
b = total(a)
print b
large = 1..100000
names = \`x\`y
`
const MODULE = `module prices
def half(x) {
    y = x \\ 2
    return y
}
`
const USES = `use prices
a = 8
b = half(a)
print b
`
writeFileSync(`${moduleFolder}/prices.dos`, MODULE)

// ---- adapters

// Carries the messages of a debug client to an editor's connection with a node, and back.
async function tunnel () {
    const socket = new WebSocket(url, 'pelorus')
    await new Promise((resolve, reject) => { socket.once('open', resolve); socket.once('error', reject) })
    const waiting = new Map()
    let id = 0, client, debug
    const request = (method, params) => new Promise((resolve, reject) => {
        waiting.set(++id, { resolve, reject })
        socket.send(Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, method, params }) + '\n'))
    })
    socket.on('message', data => {
        const message = JSON.parse(String(data))
        if (message.method === 'dap/message' && message.params.session === debug) {
            const body = Buffer.from(JSON.stringify(message.params.message))
            client?.write(Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]))
        } else if (waiting.has(message.id)) {
            const { resolve, reject } = waiting.get(message.id)
            if (message.error) reject(new Error(message.error.message))
            else resolve(message.result)
        }
    })
    await request('pelorus/connect', { user, password })
    debug = (await request('dap/start', {})).session
    const server = createServer(stream => {
        client = stream
        let buffer = Buffer.alloc(0)
        stream.on('error', () => { })
        stream.on('data', piece => {
            buffer = Buffer.concat([buffer, piece])
            for (;;) {
                const head = buffer.indexOf('\r\n\r\n')
                if (head < 0) return
                const length = Number(/Content-Length: (\d+)/.exec(String(buffer.subarray(0, head)))[1])
                if (buffer.length < head + 4 + length) return
                const message = JSON.parse(String(buffer.subarray(head + 4, head + 4 + length)))
                buffer = buffer.subarray(head + 4 + length)
                request('dap/message', { session: debug, message })
            }
        })
    })
    await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
    return { port: server.address().port, close () { server.close(); socket.close() } }
}

const targets = {
    'pelorus dap': {
        has: ['conditions', 'evaluate', 'moves', 'children'],
        async start () {
            const client = new DebugClient(pelorus, 'dap', 'dos')
            await client.start()
            return { client, launch: { folder: '', moduleFolder }, close: () => client.stop() }
        },
    },
    'a node, by its editor connection': {
        has: ['conditions', 'evaluate', 'moves', 'children'],
        async start () {
            const carrier = await tunnel()
            const client = new DebugClient('', '', 'dos')
            await client.start(carrier.port)
            return { client, launch: {}, sendsText: true, close: async () => { await client.disconnectRequest({}).catch(() => { }); client.stopAdapter(); carrier.close() } }
        },
    },
}
if (adapter)
    targets['a node, by the adapter of the DolphinDB extension'] = {
        has: ['restart', 'exceptionInfo'],
        async start () {
            // It writes a log to its standard output, so that messages travel by a socket.
            const probe = createServer().listen(0, '127.0.0.1')
            await new Promise(resolve => probe.once('listening', resolve))
            const { port } = probe.address()
            await new Promise(resolve => probe.close(resolve))
            const child = spawn(process.execPath, [adapter, `--server=${port}`], { stdio: ['ignore', process.env.PELORUS_LOG ? 'inherit' : 'ignore', 'inherit'] })
            const client = new DebugClient('', '', 'dolphindb')
            for (let tries = 0; ; ++tries) {
                const isOpen = await new Promise(resolve => { const s = connect(port, '127.0.0.1'); client._socket = s; s.once('connect', () => resolve(true)); s.once('error', () => resolve(false)) })
                if (isOpen) break
                if (tries === 100) throw new Error('the adapter does not listen')
                await new Promise(resolve => setTimeout(resolve, 100))
            }
            client.connect(client._socket, client._socket)
            return { client, launch: { url, username: user, password, autologin: true }, close: async () => { client._socket.destroy(); child.kill() } }
        },
    }

let files = 0

class Session {
    static async begin (target, script, { lines = [], breakpoints = lines.map(line => ({ line })), filters = [], modules: ofModules = [], launch = {} } = {}) {
        const session = new Session()
        session.path = `${scratch}/script${++files}.dos`
        writeFileSync(session.path, script)
        Object.assign(session, await target.start())
        const { client } = session
        client.defaultTimeout = 20000
        session.events = []
        session.waiters = []
        for (const name of ['stopped', 'terminated', 'output'])
            client.on(name, event => { session.events.push(event); session.waiters.forEach(wake => wake()) })
        const initialized = client.waitForEvent('initialized')
        await client.initializeRequest({ adapterID: 'dos', linesStartAt1: true, columnsStartAt1: true, pathFormat: 'path' })
        const launched = client.launchRequest({ program: session.path, ...session.launch, ...(session.sendsText ? { script } : {}), ...launch })
        launched.catch(() => { })
        await initialized
        session.placed = (await session.set(breakpoints)).breakpoints
        for (const [path, name, line] of ofModules)
            session.placedInModule = (await client.setBreakpointsRequest({ source: { path, name }, lines: [line], breakpoints: [{ line }] })).body.breakpoints
        await client.setExceptionBreakpointsRequest({ filters, filterOptions: filters.map(filterId => ({ filterId })) })
        await client.configurationDoneRequest()
        await launched
        return session
    }
    async set (breakpoints) {
        return (await this.client.setBreakpointsRequest({ source: { path: this.path, name: this.path.split('/').pop() }, lines: breakpoints.map(b => b.line), breakpoints })).body
    }
    async event (name) {
        for (;;) {
            const at = this.events.findIndex(e => e.event === name)
            if (at >= 0) return this.events.splice(at, 1)[0].body
            await new Promise((resolve, reject) => {
                const timer = setTimeout(() => reject(new Error(`no event ${name}; there were ${JSON.stringify(this.events)}`)), 20000)
                this.waiters = [() => { clearTimeout(timer); resolve() }]
            })
        }
    }
    async stop () {
        const { reason } = await this.event('stopped')
        this.stack = (await this.client.stackTraceRequest({ threadId: 1 })).body.stackFrames
        return [reason, ...this.stack.map(f => f.line)]
    }
    async step (command) {
        await this.client.send(command, { threadId: 1 })
        return this.stop()
    }
    async variables (frame = 0) {
        const { scopes } = (await this.client.scopesRequest({ frameId: this.stack[frame].id })).body
        const found = (await this.client.variablesRequest({ variablesReference: scopes[0].variablesReference })).body.variables
        return Object.fromEntries(found.map(v => [v.name, v]))
    }
    async value (name, frame = 0) { return (await this.variables(frame))[name]?.value.replace(/\x1b\[\d+m/g, '').replace(/^.*\((.*)\)$/, '$1') }
    async end () {
        await this.event('terminated')
        return this.events.filter(e => e.event === 'output').map(e => e.body.output).join('')
    }
    async finish () {
        await this.client.send('continue', { threadId: 1 })
        return this.end()
    }
}

// ---- scenarios

const scenarios = {
    async 'a script without breakpoints runs to its end' (target) {
        const s = await Session.begin(target, SCRIPT)
        assert.match(await s.end(), /^12$/m)
        return s
    },
    async 'a breakpoint stops with stack and variables' (target) {
        const s = await Session.begin(target, SCRIPT, { lines: [3] })
        assert.ok(s.placed[0].verified)
        assert.deepEqual(await s.stop(), ['breakpoint', 3, 8, 13])
        assert.deepEqual(s.stack.slice(0, 2).map(f => f.name), ['twice', 'total'])
        assert.equal(await s.value('x'), '1')
        assert.equal(await s.value('y'), '2')
        assert.equal(await s.value('sum', 1), '0')
        assert.match(await s.value('a', 2), /1.*2.*3/s)
        assert.equal((await s.variables(2)).b, undefined)
        assert.deepEqual(await s.step('continue'), ['breakpoint', 3, 8, 13])
        assert.equal(await s.value('y'), '4')
        await s.set([])
        assert.match(await s.finish(), /^12$/m)
        return s
    },
    async 'steps go over, into and out of calls' (target) {
        const s = await Session.begin(target, SCRIPT, { lines: [13] })
        assert.deepEqual(await s.stop(), ['breakpoint', 13])
        assert.deepEqual(await s.step('stepIn'), ['step', 6, 13])
        assert.deepEqual(await s.step('next'), ['step', 7, 13])
        assert.deepEqual(await s.step('next'), ['step', 8, 13])
        assert.deepEqual(await s.step('stepIn'), ['step', 2, 8, 13])
        assert.deepEqual(await s.step('stepOut'), ['step', 8, 13])
        assert.deepEqual(await s.step('stepOut'), ['step', 14])
        await s.finish()
        return s
    },
    async 'functions of modules stop, and are stepped into' (target) {
        const s = await Session.begin(target, USES, { lines: [3], modules: [['/home/x/modules/prices.dos', 'prices.dos', 4]] })
        assert.ok(s.placedInModule[0].verified)
        assert.deepEqual(await s.stop(), ['breakpoint', 3])
        assert.deepEqual(await s.step('stepIn'), ['step', 3, 3])
        assert.equal(s.stack[0].name, 'half')
        assert.match(s.stack[0].source.path ?? s.stack[0].source.name, /prices/)
        assert.deepEqual(await s.step('continue'), ['breakpoint', 4, 3])
        assert.equal(await s.value('y'), '4')
        assert.match(await s.finish(), /^4$/m)
        return s
    },
    async 'the source of a module is shown' (target) {
        const s = await Session.begin(target, USES, { lines: [3] })
        await s.stop()
        await s.step('stepIn')
        const { sourceReference, path } = s.stack[0].source
        if (sourceReference) assert.equal((await s.client.sourceRequest({ sourceReference, source: { sourceReference } })).body.content, MODULE)
        else assert.equal(path, `${moduleFolder}/prices.dos`)
        await s.finish()
        return s
    },
    async 'an endless loop is paused and ended' (target) {
        const s = await Session.begin(target, 'x = 0\ndo {\n    x += 1\n} while (true)\n')
        await new Promise(resolve => setTimeout(resolve, 300))
        await s.client.pauseRequest({ threadId: 1 })
        await s.stop()
        assert.ok(Number((await s.value('x')).replaceAll(',', '')) > 0)
        return s
    },
    async 'a cut connection ends a script that never stops' (target) {
        return Session.begin(target, 'do { x = 1 } while (true)\n')
    },
    async 'an error stops before it leaves' (target) {
        const filters = [target.has.includes('restart') ? 'exceptions' : 'errors']
        const s = await Session.begin(target, 'def f(x) {\n    return x.nothing\n}\nf(2)\n', { filters })
        assert.deepEqual(await s.stop(), ['exception', 2, 4])
        assert.equal(await s.value('x'), '2')
        if (target.has.includes('exceptionInfo')) assert.match((await s.client.exceptionInfoRequest({ threadId: 1 })).body.description, /nothing/)
        await s.finish()
        return s
    },
    async 'an error without a stop is told' (target) {
        const s = await Session.begin(target, 'x = 1\nthrow "bad luck"\n')
        assert.match(await s.end(), /bad luck/)
        return s
    },
    async 'a script that does not parse is told' (target) {
        const s = await Session.begin(target, 'x = (1 +')
        const output = await s.event('output')
        assert.match(output.output, /yntax/)
        return s
    },
    async 'lines without a statement hold no breakpoint, or move it' (target) {
        const s = await Session.begin(target, '// nothing\n\nx = 1\ny = 2\n', { lines: [1, 3] })
        if (target.has.includes('moves')) assert.deepEqual(s.placed.map(b => b.line), [3, 3])
        else assert.deepEqual(s.placed.map(b => b.verified), [false, true])
        assert.deepEqual(await s.stop(), ['breakpoint', 3])
        await s.finish()
        return s
    },
    async 'large values are shown when they are opened' (target) {
        const s = await Session.begin(target, SCRIPT, { lines: [16] })
        await s.stop()
        const { large } = await s.variables()
        assert.ok(large.variablesReference > 0, JSON.stringify(large))
        const inner = (await s.client.variablesRequest({ variablesReference: large.variablesReference })).body.variables
        assert.match(inner[0].value, /1/)
        await s.finish()
        return s
    },
    async 'a script is restarted' (target) {
        if (!target.has.includes('restart')) return null
        const s = await Session.begin(target, SCRIPT, { lines: [14] })
        assert.deepEqual(await s.stop(), ['breakpoint', 14])
        await s.client.send('restart', {})
        assert.deepEqual(await s.stop(), ['breakpoint', 14])
        assert.match(await s.finish(), /^12$/m)
        return s
    },
    async 'conditions, counts of hits and log points' (target) {
        if (!target.has.includes('conditions')) return null
        const s = await Session.begin(target, SCRIPT, { breakpoints: [{ line: 2, condition: 'x == 2' }, { line: 3, logMessage: 'y is {y}' }, { line: 10, hitCondition: '1' }] })
        assert.deepEqual(await s.stop(), ['breakpoint', 2, 8, 13])
        assert.equal(await s.value('x'), '2')
        assert.deepEqual(await s.step('continue'), ['breakpoint', 10, 13])
        assert.match(await s.finish(), /y is 2\n[^]*y is 4/)
        return s
    },
    async 'expressions are evaluated in a call' (target) {
        if (!target.has.includes('evaluate')) return null
        const s = await Session.begin(target, SCRIPT, { lines: [3] })
        await s.stop()
        const value = async (expression, frame) => (await s.client.evaluateRequest({ expression, frameId: s.stack[frame].id })).body.result
        assert.equal(await value('x + y', 0), '3')
        assert.equal(await value('size(a)', 2), '3')
        await assert.rejects(value('nothing', 0))
        return s
    },
}

const only = process.env.PELORUS_ONLY
for (const [name, target] of Object.entries(targets))
    for (const [scenario, run] of Object.entries(scenarios)) {
        if (only && !`${name}: ${scenario}`.includes(only)) continue
        let timer
        try {
            const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error('the scenario did not end')), 30000) })
            const session = await Promise.race([run(target), late])
            if (session === null) continue
            await session.close()
            console.log(`ok ${name}: ${scenario}`)
        } catch (error) {
            console.log(`FAILED ${name}: ${scenario}`)
            console.log(error)
        } finally {
            clearTimeout(timer)
        }
    }
process.exit(0)
