// Readers and writers of one shared table at once: every query sees one state of it, and nothing waits for ever.
#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "common/error.h"
#include "runtime/registry/registry.h"
#include "tests/unit/process/drawn_calls.h"
#include "tests/unit/process/whole_process.h"

using namespace pelorus;

namespace {

int roundsOf(int byDefault) {
    const char* given = std::getenv("PELORUS_SHARED_ROUNDS");
    return given ? std::atoi(given) : byDefault;
}

// Threads that run scripts until each has done its rounds; the first error of each counts.
class Threads {
public:
    void add(int rounds, std::string script) {
        threads_.emplace_back([this, rounds, script = std::move(script)] {
            for (int i = 0; i < rounds; ++i) {
                try {
                    testing::wholeProcess().run(script);
                    ++done;
                } catch (const Error& error) {
                    const std::lock_guard guard(mutex_);
                    errors.emplace_back(error.what());
                }
            }
        });
    }
    void join() {
        for (std::thread& thread : threads_) thread.join();
    }
    // Writers that go on while `work` runs.
    template <class F>
    void beside(const std::vector<std::string>& scripts, const F& work) {
        std::atomic<bool> isOver{false};
        for (const std::string& script : scripts) {
            threads_.emplace_back([this, &isOver, script] {
                while (!isOver) {
                    try {
                        testing::wholeProcess().run(script);
                        ++done;
                    } catch (const Error& error) {
                        const std::lock_guard guard(mutex_);
                        errors.emplace_back(error.what());
                        return;
                    }
                }
            });
        }
        work();
        isOver = true;
        join();
    }
    std::atomic<int> done{0};
    std::vector<std::string> errors;

private:
    std::mutex mutex_;
    std::vector<std::thread> threads_;
};

}  // namespace

TEST_CASE("readers of a shared table see one state of it beside appends, updates, deletes and peach", "[shared]") {
    const testing::WholeProcess& process = testing::wholeProcess();
    // In every state each batch has ten rows, whose a and b are the same, and whose a and c have the sum 0.
    process.run(
        "share table(take(0, 1000) as batch, 1..1000 as a, 1..1000 as b, -(1..1000) as c, take(`x`y`z, 1000) as s) as "
        "shared_state");
    const int rounds = roundsOf(60);
    Threads threads;
    for (int reader = 0; reader < 2; ++reader) {
        threads.add(rounds * 3,
                    "t = select count(*) as n, sum(a) as a, sum(b) as b, sum(c) as c from shared_state group by batch\n"
                    "assert 'whole batches', all(t.n % 10 == 0)\n"
                    "assert 'one state', all(t.a == t.b) and all(t.a + t.c == 0)");
    }
    threads.add(rounds * 2,
                "def one(i) { return exec sum(a - b) from shared_state where batch % 3 == i }\n"
                "x = exec peach(one, [0, 1, 2]) from table(1 as q)\n"
                "assert 'one state in peach', all(x[0] == 0 or isNull(x[0]))");
    for (int writer = 1; writer <= 2; ++writer) {
        threads.add(rounds * 3,
                    "n = rand(1000000, 1)[0]\n"
                    "shared_state.append!(table(take(n, 10) as batch, n + 1..10 as a, n + 1..10 as b, -n - 1..10 as c, "
                    "take(`u`v, 10) as s))");
    }
    threads.add(rounds, "update shared_state set a = a + 1, b = b + 1, c = c - 1 where batch % 2 == 0");
    threads.add(
        rounds,
        "def oneMore(v) { return v + 1 }\nupdate shared_state set a = oneMore(a), b = oneMore(b), c = c - 1, s = `w "
        "where batch % 2 == 1");
    threads.add(rounds, "delete from shared_state where batch > 0 and batch % 7 == 3");
    threads.join();
    for (const std::string& error : threads.errors) UNSCOPED_INFO(error);
    CHECK(threads.errors.empty());
    CHECK(threads.done == rounds * 17);
    // No row that was appended concurrently with changes is lost.
    process.run(
        "t = select count(*) as n from shared_state group by batch\n"
        "assert 'whole batches', all(t.n % 10 == 0)\n"
        "assert 'the first batch stays', (exec count(*) from shared_state where batch == 0) == 1000\n"
        "undef(`shared_state, SHARED)");
}

TEST_CASE("rows that are added beside updates are there afterwards, each once", "[shared]") {
    const testing::WholeProcess& process = testing::wholeProcess();
    process.run("share table(1000:0, `id`v, [LONG, DOUBLE]) as shared_rows");
    const int rounds = roundsOf(300);
    Threads threads;
    for (int writer = 0; writer < 3; ++writer) {
        threads.add(1, "for (i in 0.." + std::to_string(rounds - 1) + ") { shared_rows.append!(table([long(i * 3 + " +
                           std::to_string(writer) + ")] as id, [1.0] as v)) }");
    }
    threads.add(1, "for (i in 0.." + std::to_string(rounds - 1) + ") { update shared_rows set v = v + 1 }");
    threads.join();
    for (const std::string& error : threads.errors) UNSCOPED_INFO(error);
    CHECK(threads.errors.empty());
    process.run("n = " + std::to_string(rounds * 3) +
                "\nassert 'all rows', eqObj(sort(exec id from shared_rows), long(0..(n - 1)))\n"
                "assert 'no NULL', (exec count(v) from shared_rows) == n\n"
                "undef(`shared_rows, SHARED)");
}

TEST_CASE("keys of a shared table find their rows beside upserts and deletes", "[shared]") {
    const testing::WholeProcess& process = testing::wholeProcess();
    process.run("share keyedTable(`k, 0..999 as k, 0..999 as v, 0..999 as w) as shared_keys");
    const int rounds = roundsOf(100);
    Threads threads;
    for (int reader = 0; reader < 2; ++reader) {
        threads.add(rounds * 5,
                    "n = rand(500, 1)[0]\nt = select * from shared_keys where k == n\n"
                    "assert 'found', t.rows() == 1\nassert 'one state', t.v[0] == t.w[0]");
    }
    threads.add(rounds, "n = rand(500, 10)\nx = rand(1000000, 10)\nshared_keys.append!(table(n as k, x as v, x as w))");
    threads.add(rounds,
                "n = 500 + rand(500, 10)\nx = rand(1000000, 10)\nshared_keys.append!(table(n as k, x as v, x as w))");
    threads.add(rounds, "delete from shared_keys where k >= 500 and k % 10 == rand(10, 1)[0]");
    threads.join();
    for (const std::string& error : threads.errors) UNSCOPED_INFO(error);
    CHECK(threads.errors.empty());
    process.run("undef(`shared_keys, SHARED)");
}

TEST_CASE("whatever reads a shared table outside of queries sees one state of it, too", "[shared]") {
    const testing::WholeProcess& process = testing::wholeProcess();
    process.run("share table(1..1000 as a, 1..1000 as b, string(1..1000) as s) as shared_values");
    const int rounds = roundsOf(100);
    Threads threads;
    threads.beside({"for (i in 1..20) { shared_values.append!(table(i..(i + 9) as a, i..(i + 9) as b, string(i..(i + "
                    "9)) as s)) }\n"
                    "delete from shared_values where a < 500",
                    "update shared_values set a = a + 1, b = b + 1",
                    "shared_values[`a, 0..9] = 5\nshared_values[`a, 0..9] = shared_values[`b][0..9]"},
                   [&] {
                       Threads readers;
                       readers.add(rounds,
                                   "t = shared_values\n"
                                   "x = values(t)\nassert 'as long', size(x[0]) == size(x[2])\n"
                                   "y = t[0:t.rows()]\nassert 'as many rows', y.a.size() == y.s.size()\n"
                                   "r = t[3]\nassert 'a row', r.size() == 3\n"
                                   "m = matrix(t[`a`b])\nassert 'two columns', m.columns() == 2");
                       readers.add(rounds,
                                   "t = shared_values\n"
                                   "assert 'text', string(t).rows() > 100 and strlen(toStdJson(t)) > 10\n"
                                   "c = t.s\nassert 'texts', all(strlen(c) >= 1)\n"
                                   "n = 0\nfor (r in t[0:20]) { n += r.s.strlen() }\n"
                                   "z = (t, t)\nprint z\n"
                                   "d = dict(STRING, ANY)\nd[`t] = t\nprint d");
                       readers.add(
                           rounds,
                           "t = shared_values\n"
                           "x = each(def(r) { return r.b }, t)\nassert 'rows', all(x > 0)\n"
                           "y = t + t\nassert 'sum', all(y.b % 2 == 0)\n"
                           "same = eqObj(t, t)\nu = unionAll(t, t)\nassert 'as many', u.a.size() == u.s.size()\n"
                           "s = sum(t)\nassert 'columns', size(values(t)) == 3");
                       readers.join();
                       for (const std::string& error : readers.errors) UNSCOPED_INFO(error);
                       CHECK(readers.errors.empty());
                       CHECK(readers.done == 3 * rounds);
                   });
    for (const std::string& error : threads.errors) UNSCOPED_INFO(error);
    CHECK(threads.errors.empty());
    CHECK(threads.done > 3);
    process.run("undef(`shared_values, SHARED)");
}

TEST_CASE("every function reads a shared table beside writers", "[shared]") {
    const testing::WholeProcess& process = testing::wholeProcess();
    process.run("share table(1..100 as a, 0.5 * 1..100 as b, string(1..100) as s) as shared_all");
    int met = 0;
    std::atomic<int> gave{0};
    Threads threads;
    threads.beside({"for (i in 1..20) { shared_all.append!(table(i..(i + 9) as a, 0.5 * i..(i + 9) as b, string(i..(i "
                    "+ 9)) as s)) }"
                    "\ndelete from shared_all where a > 15",
                    "update shared_all set a = a + 1, s = `changed"},
                   [&] {
                       for (const std::string_view name : FunctionRegistry::instance().names()) {
                           const BuiltinFunction& function = FunctionRegistry::instance().get(name);
                           if (testing::isLeftOut(function) || function.signature().maxArguments() == 0) continue;
                           ++met;
                           for (const char* arguments : {"(t)", "(t, 1)", "(t, t)", "(t, `a)", "(`a, t)", "(sum, t)"}) {
                               const std::string script = "t = shared_all\nx = " + std::string(name) + arguments;
                               try {
                                   process.run(script);
                                   ++gave;
                               } catch (const Error&) {
                                   // No function of tables, or not of these arguments.
                               }
                           }
                       }
                   });
    for (const std::string& error : threads.errors) UNSCOPED_INFO(error);
    CHECK(threads.errors.empty());
    CHECK(threads.done > 3);
    CHECK(met > 800);
    CHECK(gave > 400);
    process.run("undef(`shared_all, SHARED)");
}
