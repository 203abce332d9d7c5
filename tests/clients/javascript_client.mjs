// The unmodified JavaScript client against a node: node javascript_client.mjs PACKAGE_FOLDER URL PASSWORD
// Standard input has lines "NAME<tab>SCRIPT" of scripts that make a table; each is received, sent back and compared by the node.
// Prints a line for each case that passed, and ends with status 1 at the first that did not.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const [folder, url, password] = process.argv.slice(2)
const { DDB, DdbVectorInt, DdbInt, DdbForm, DdbType, DdbTable } = await import(pathToFileURL(folder + '/index.js'))
const options = { autologin: true, username: 'admin', password, verbose: false }
const ddb = new DDB(url, options)

const cases = {
    async 'connects and logs in'() {
        await ddb.connect()
        assert.ok(ddb.connected)
        const [id, user] = (await ddb.call('getCurrentSessionAndUser', [], { urgent: true })).value
        assert.equal(user.value, 'admin')
        assert.equal(BigInt(ddb.sid), id.value)
    },
    async 'what the editor calls after connecting answers'() {
        assert.equal((await ddb.call('getNodeType', [], { urgent: true })).value, 3)
        assert.equal(typeof (await ddb.call('getNodeAlias', [], { urgent: true })).value, 'string')
        assert.equal((await ddb.call('getControllerAlias', [], { urgent: true })).value, '')
        assert.match((await ddb.call('version')).value, /^3\./)
        assert.equal(typeof (await ddb.call('isClientAuth', [], { urgent: true })).value, 'boolean')
        const license = (await ddb.call('license')).to_dict({ strip: true })
        assert.equal(license.productKey, 'DOLPHIN')
        const perf = await ddb.call('getClusterPerf', [true], { urgent: true })
        const alias = (await ddb.call('getNodeAlias', [], { urgent: true })).value
        assert.ok(perf.to_rows().some(row => row.name === alias))
        for (const [name, args] of [['getClusterDFSTables', [false]], ['getClusterDFSDatabases', [false]], ['getAllCatalogs', []], ['getOrcaStreamTableMeta', []]])
            await ddb.call(name, args)
    },
    async 'scripts, variables and values both ways'() {
        assert.equal((await ddb.eval('1+1')).value, 2)
        await ddb.eval('x = 1..5; t = table(1..3 as id, `a`b`c as s, 2024.01.01..2024.01.03 as d)')
        assert.deepEqual([...(await ddb.eval('x')).value], [1, 2, 3, 4, 5])
        const t = (await ddb.eval('t')).to_rows()
        assert.equal(t.length, 3)
        assert.equal(t[1].s, 'b')
        await ddb.upload(['up'], [new DdbVectorInt([4, 5, 6])])
        assert.equal((await ddb.eval('sum(up)')).value, 15n)
        assert.equal((await ddb.call('add', [new DdbInt(1), new DdbInt(2)])).value, 3)
        const objs = (await ddb.call('objs', [true])).to_rows()
        assert.ok(objs.some(o => o.name === 't' && o.form === 'TABLE'))
        assert.equal((await ddb.eval('(1, 2.5, 0)')).value.length, 3)
    },
    async 'pages of a grid and the text of an export'() {
        await ddb.eval('v = 0..999999; m = matrix(1..3, 4..6)')
        assert.deepEqual([...(await ddb.eval('v[500000..500003]')).value], [500000, 500001, 500002, 500003])
        assert.equal((await ddb.eval('m[0:2,]')).rows, 2)
        assert.equal((await ddb.eval('select * from t limit 1, 2')).rows, 2)
        const text = await ddb.eval('generateTextFromTable((select * from t limit 3), 0, 3, 0, \',\', true)')
        assert.equal(Buffer.from(text.value).toString().split('\n')[0], 'id,s,d')
    },
    async 'invoke and define'() {
        await ddb.define('def twice (a) { return a * 2 }')
        assert.equal((await ddb.call('twice', [new DdbInt(21)])).value, 42)
        assert.equal(await ddb.invoke('add', [20, 22]), 42)
        assert.equal(await ddb.invoke('version'), (await ddb.call('version')).value)
    },
    async 'prints arrive before the answer'() {
        const printed = []
        await ddb.eval('print("one"); print("two"); 3', { listener: ({ type, data }) => { if (type === 'print') printed.push(data) } })
        assert.deepEqual(printed.map(text => text.trim()), ['one', 'two'])
    },
    async 'errors are the server\'s words and keep the connection'() {
        await assert.rejects(ddb.eval('nobody()'), /nobody/)
        assert.equal((await ddb.eval('1+1')).value, 2)
    },
    async 'many calls started together are answered in order'() {
        const answers = await Promise.all(Array.from({ length: 200 }, (_, i) => ddb.eval(`${i} + 1`)))
        assert.deepEqual(answers.map(a => a.value), Array.from({ length: 200 }, (_, i) => i + 1))
    },
    async 'large values both ways'() {
        const numbers = new Int32Array(2_000_000).map((_, i) => i)
        await ddb.upload(['large'], [new DdbVectorInt(numbers)])
        const back = (await ddb.eval('large')).value
        assert.equal(back.length, numbers.length)
        assert.equal(back[1_999_999], 1_999_999)
    },
    async 'a running call is cancelled'() {
        const sleeping = ddb.eval('sleep(60000)')
        await new Promise(resolve => setTimeout(resolve, 500))
        const begin = Date.now()
        await ddb.cancel()
        await assert.rejects(sleeping)
        assert.ok(Date.now() - begin < 5000)
    },
    async 'a wrong password is told'() {
        const other = new DDB(url, { ...options, password: 'wrong-one' })
        await assert.rejects(other.connect(), /user name or password/i)
    },
    async 'a subprotocol that is not there is an error'() {
        const streaming = new DDB(url, { ...options, streaming: { table: 'nobody' } })
        await assert.rejects(streaming.connect())
    },
}

for (const [name, run] of Object.entries(cases)) {
    try {
        await run()
        console.log('ok ' + name)
    } catch (error) {
        console.log('FAILED ' + name)
        console.log(error)
    }
}
for (const line of readFileSync(0, 'utf-8').split('\n').filter(Boolean)) {
    const [name, script] = line.split('\t')
    try {
        await ddb.upload(['back'], [await ddb.eval(`source = ${script}; source`)])
        const same = await ddb.eval('string(schema(back).colDefs.typeString == schema(source).colDefs.typeString).concat(" ") + ' +
            'string(back.columnNames() == source.columnNames()).concat(" ") + string(each(eqObj, back.values(), source.values())).concat(" ")')
        assert.doesNotMatch(same.value, /false/)
        console.log('ok ' + name)
    } catch (error) {
        console.log('FAILED ' + name)
        console.log(error)
    }
}
ddb.disconnect()
process.exit(0)
