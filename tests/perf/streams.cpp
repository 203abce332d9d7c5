// make bench-streaming: the cost of streams compared with the minimum for the same work in this process, in one run.
//
// F1 append and memcpy of the columns; F2 append to handler and a hand-over by a condition variable; F3 factors
// of a row of each of 4,000 keys and a loop over the same states; F5 stream tables on disk and a table of a database;
// F6 bars, a loop, and group by; F7 rows sent to clients and prepared bytes; F8 replay and a query that sorts.
// Answers are compared.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <functional>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "apps/process/wiring.h"
#include "common/check.h"
#include "interpreter/engine/engine.h"
#include "net/connection.h"
#include "runtime/append/append_rows.h"
#include "runtime/function/principal.h"
#include "runtime/stream/stream_log.h"
#include "server/connection/stream_push.h"
#include "stdlib/statistics/moments.h"
#include "stdlib/window/sliding_rows.h"
#include "streaming/engine/stream_engines.h"
#include "streaming/publication/publications.h"

namespace pelorus {
namespace {

using Clock = std::chrono::steady_clock;

double micros(Clock::duration time) {
    return std::chrono::duration<double, std::micro>(time).count();
}

template <class F>
double best(int times, F work) {
    double least = HUGE_VAL;
    for (int i = 0; i < times; ++i) {
        const auto begin = Clock::now();
        work();
        least = std::min(least, micros(Clock::now() - begin));
    }
    return least;
}

void report(const char* what, double ours, double peer, double goal) {
    std::printf("%-58s %10.2f us  %10.2f us  %6.2fx  (goal %.2fx)\n", what, ours, peer, ours / peer, goal);
}

// The process with a session, in which scripts make what is measured.
struct Bench {
    Process process{ProcessOptions()};
    Request request{Principal::owner()};
    Session session{process.services()};
    Context context{process.services(), request};

    Bench() {
        context.session = &session;
        context.scope = &session;
    }
    Value run(std::string_view script) { return evaluate(script, session, context); }
};

void benchAppend() {
    constexpr int kColumns = 10, kTotal = 1'000'000;
    for (const int64_t rows : {int64_t{1}, int64_t{1000}}) {
        const auto appends = static_cast<int64_t>(kTotal) / rows / (rows == 1 ? 10 : 1);
        std::vector<std::string> names;
        std::vector<Value> columns;
        for (int c = 0; c < kColumns; ++c) {
            names.push_back("c" + std::to_string(c));
            columns.push_back(Value::of(Vector::of(Type::Double, std::vector<double>(static_cast<size_t>(rows), c))));
        }
        const MemoryTable given(names, columns);
        const double ours = best(3, [&] {
            Ref<MemoryTable> table = MemoryTable::empty(given.columns(), appends * rows);
            makeStream(*table);
            for (int64_t i = 0; i < appends; ++i) appendToMemory(*table, given);
            CHECK(table->stream->total() == appends * rows) << "all rows are there";
        });
        const double peer = best(3, [&] {
            std::vector<std::vector<double>> copies(kColumns);
            for (auto& copy : copies) copy.reserve(static_cast<size_t>(appends * rows));
            for (int64_t i = 0; i < appends; ++i) {
                for (int c = 0; c < kColumns; ++c) {
                    const double* from = given.column(c).vector().data<double>();
                    copies[static_cast<size_t>(c)].insert(copies[static_cast<size_t>(c)].end(), from, from + rows);
                }
            }
        });
        report(rows == 1 ? "F1 append of 1 row, 10 columns | memcpy" : "F1 append of 1,000 rows, 10 columns | memcpy",
               ours / static_cast<double>(appends), peer / static_cast<double>(appends), 3);
    }
}

struct Latencies {
    std::vector<double> micros;
    double at(double share) {
        std::sort(micros.begin(), micros.end());
        return micros[static_cast<size_t>(share * static_cast<double>(micros.size() - 1))];
    }
};

void benchHandOver(Bench& bench) {
    constexpr int kMessages = 3000;
    bench.run(
        "share streamTable(1:0, `x, [LONG]) as feed; share streamTable(1:0, `x, [LONG]) as got;"
        "subscribeTable(tableName=`feed, handler=got)");
    MemoryTable& feed = *asMemoryTable(bench.run("feed"));
    MemoryTable& got = *asMemoryTable(bench.run("got"));
    const MemoryTable row({"x"}, {Value::of(Vector::of(Type::Long, std::vector<int64_t>{1}))});
    Latencies ours, peer;
    for (int i = 0; i < kMessages; ++i) {
        const auto begin = Clock::now();
        appendToMemory(feed, row);
        while (got.stream->total() <= i) std::this_thread::yield();
        ours.micros.push_back(micros(Clock::now() - begin));
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    std::mutex mutex;
    std::condition_variable ready;
    int wanted = 0;
    std::atomic<int> done{0};
    std::thread other([&] {
        std::unique_lock lock(mutex);
        for (int i = 0; i < kMessages; ++i) {
            ready.wait(lock, [&] { return wanted > i; });
            done.store(i + 1);
        }
    });
    for (int i = 0; i < kMessages; ++i) {
        const auto begin = Clock::now();
        {
            const std::lock_guard lock(mutex);
            ++wanted;
        }
        ready.notify_one();
        while (done.load() <= i) std::this_thread::yield();
        peer.micros.push_back(micros(Clock::now() - begin));
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    other.join();
    report("F2 append to handler, p50 | condition variable", ours.at(0.5), peer.at(0.5), 1.5);
    report("F2 append to handler, p99 | condition variable", ours.at(0.99), peer.at(0.99), 2);
    bench.run("unsubscribeTable(tableName=`feed); undef(`feed`got, SHARED)");
}

// States that are the same as those of the factors below.
struct FactorRow {
    static RollingWindow window(int64_t length) { return {length, 1, true}; }
    SlidingRow<Mean, 1> means[5] = {SlidingRow<Mean, 1>(window(5)), SlidingRow<Mean, 1>(window(10)),
                                    SlidingRow<Mean, 1>(window(20)), SlidingRow<Mean, 1>(window(50)),
                                    SlidingRow<Mean, 1>(window(100))};
    SlidingRow<StandardDeviation, 1> deviations[5] = {
        SlidingRow<StandardDeviation, 1>(window(5)), SlidingRow<StandardDeviation, 1>(window(10)),
        SlidingRow<StandardDeviation, 1>(window(20)), SlidingRow<StandardDeviation, 1>(window(50)),
        SlidingRow<StandardDeviation, 1>(window(100))};
    SlidingRow<Correlation, 2> correlations[5] = {
        SlidingRow<Correlation, 2>(window(5)), SlidingRow<Correlation, 2>(window(10)),
        SlidingRow<Correlation, 2>(window(20)), SlidingRow<Correlation, 2>(window(50)),
        SlidingRow<Correlation, 2>(window(100))};
    RunningRow<RealSum, 1> sums[5];
};

void benchFactors(Bench& bench) {
    constexpr int kKeys = 4000, kWarm = 120, kRounds = 60;
    std::string metrics, types;
    for (const int w : {5, 10, 20, 50, 100}) metrics += "mavg(x, " + std::to_string(w) + "), ";
    for (const int w : {5, 10, 20, 50, 100}) metrics += "mstd(x, " + std::to_string(w) + "), ";
    for (const int w : {5, 10, 20, 50, 100}) metrics += "mcorr(x, y, " + std::to_string(w) + "), ";
    metrics += "cumsum(x), cumsum(y), cumsum(x + 1), cumsum(x * 2), cumsum(x - y)";
    bench.run(
        "d = table(1:0, `k`x`y, [INT, DOUBLE, DOUBLE]); r = table(1:0, `k join (`f + string(0..19)), INT join "
        "take(DOUBLE, "
        "20)); kept = dict(STRING, ANY); createReactiveStateEngine(`factors, <[" +
        metrics + "]>, d, outputHandler=def(m) {}, keyColumn=`k)");
    const Ref<StreamEngine> engine = bench.context.service<StreamEngines>()->get("factors");
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> uniform(0, 100);
    std::vector<FactorRow> loop(kKeys);
    std::vector<int32_t> keys(kKeys);
    for (int k = 0; k < kKeys; ++k) keys[static_cast<size_t>(k)] = k;
    std::vector<std::vector<double>> out(20, std::vector<double>(kKeys));
    double ours = HUGE_VAL, peer = HUGE_VAL;
    for (int round = 0; round < kWarm + kRounds; ++round) {
        std::vector<double> x(kKeys), y(kKeys);
        for (int k = 0; k < kKeys; ++k)
            x[static_cast<size_t>(k)] = uniform(random), y[static_cast<size_t>(k)] = uniform(random);
        const MemoryTable rows({"k", "x", "y"},
                               {Value::of(Vector::of(Type::Int, keys)), Value::of(Vector::of(Type::Double, x)),
                                Value::of(Vector::of(Type::Double, y))});
        auto begin = Clock::now();
        engine->take(bench.context, rows);
        if (round >= kWarm) ours = std::min(ours, micros(Clock::now() - begin));
        begin = Clock::now();
        for (size_t k = 0; k < kKeys; ++k) {
            FactorRow& state = loop[k];
            for (size_t f = 0; f < 5; ++f) {
                out[f][k] = state.means[f].next(x[k]);
                out[5 + f][k] = state.deviations[f].next(x[k]);
                out[10 + f][k] = state.correlations[f].next(x[k], y[k]);
            }
            const double given[] = {x[k], y[k], x[k] + 1, x[k] * 2, x[k] - y[k]};
            for (size_t f = 0; f < 5; ++f) out[15 + f][k] = state.sums[f].next(given[f]);
        }
        if (round >= kWarm) peer = std::min(peer, micros(Clock::now() - begin));
    }
    report("F3 20 factors of 4,000 keys, a row each | loop", ours, peer, 2);
    const MemoryTable one({"k", "x", "y"}, {Value::of(Vector::of(Type::Int, std::vector<int32_t>{7})),
                                            Value::of(Vector::of(Type::Double, std::vector<double>{1})),
                                            Value::of(Vector::of(Type::Double, std::vector<double>{2}))});
    std::printf("F3 one row: %.2f us (goal 25 us)\n", best(2000, [&] { engine->take(bench.context, one); }));
    bench.run("dropStreamEngine(`factors)");
}

void benchBars(Bench& bench) {
    constexpr int64_t kQuotes = 2'000'000, kKeys = 5000, kAppend = 1024, kDayMillis = 14'400'000;
    std::mt19937_64 random(2);
    std::vector<int64_t> times(kQuotes);
    for (auto& time : times) time = static_cast<int64_t>(random() % kDayMillis);
    std::sort(times.begin(), times.end());
    std::vector<int32_t> keys(kQuotes);
    std::vector<double> prices(kQuotes);
    for (size_t i = 0; i < kQuotes; ++i) {
        keys[i] = static_cast<int32_t>(random() % kKeys);
        prices[i] = static_cast<double>(random() % 10000) / 100;
    }
    Ref<Vector> timeColumn = Vector::make(Type::Timestamp, kQuotes);
    std::copy(times.begin(), times.end(), timeColumn->mutableData<int64_t>());
    auto quotes = makeRef<MemoryTable>(std::vector<std::string>{"t", "k", "p"},
                                       std::vector<Value>{Value::of(timeColumn), Value::of(Vector::of(Type::Int, keys)),
                                                          Value::of(Vector::of(Type::Double, prices))});
    bench.session.setVariable("q", Value::of(Ref<Table>(quotes)));
    bench.run(
        "share table(1000000:0, `t`k`o`h`l`c, [TIMESTAMP, INT, DOUBLE, DOUBLE, DOUBLE, DOUBLE]) as bars;"
        "createTimeSeriesEngine(`bars, 60000, 60000, <[first(p), max(p), min(p), last(p)]>, q, bars, `t, "
        "keyColumn=`k)");
    const Ref<StreamEngine> engine = bench.context.service<StreamEngines>()->get("bars");
    const double ours = best(1, [&] {
        for (int64_t at = 0; at < kQuotes; at += kAppend)
            engine->take(bench.context, *quotes->slice(at, std::min(kAppend, kQuotes - at)));
    });
    struct Bar {
        int64_t minute = -1;
        double open, high, low, close;
    };
    int64_t shown = 0;
    double checksum = 0;
    const double peer = best(3, [&] {
        std::vector<Bar> open(kKeys);
        std::vector<std::pair<int64_t, Bar>> bars;
        for (size_t i = 0; i < kQuotes; ++i) {
            Bar& bar = open[static_cast<size_t>(keys[i])];
            const int64_t minute = times[i] / 60000;
            if (bar.minute != minute) {
                if (bar.minute >= 0) bars.emplace_back(keys[i], bar);
                bar = {minute, prices[i], prices[i], prices[i], prices[i]};
            } else {
                bar.high = std::max(bar.high, prices[i]);
                bar.low = std::min(bar.low, prices[i]);
                bar.close = prices[i];
            }
        }
        shown = static_cast<int64_t>(bars.size());
        checksum = 0;
        for (const auto& [key, bar] : bars) checksum += bar.open + bar.high + bar.low + bar.close;
    });
    const double query = best(
        2, [&] { bench.run("twin = select first(p), max(p), min(p), last(p) from q group by k, bar(t, 60000) as t"); });
    const MemoryTable& bars = *asMemoryTable(bench.run("bars"));
    CHECK(bars.rowCount() == shown) << "as many bars as the loop has";
    const double sum = bench.run("sum(bars.o) + sum(bars.h) + sum(bars.l) + sum(bars.c)").asDouble();
    CHECK(std::fabs(sum - checksum) <= 1e-9 * checksum) << "the bars of the loop";
    report("F6 minute bars, 2,000,000 quotes, 5,000 keys, by 1,024 | loop", ours, peer, 3);
    report("F6 minute bars, 2,000,000 quotes, 5,000 keys | group by", ours, query, 2);
    bench.run("dropStreamEngine(`bars); undef(`bars, SHARED)");
}

// A stream table on disk, beside the same appends to a table of a database in the same folder: time until all rows are
// in the log. Neither waits for syncs; what was written before is in column files when the next one begins.
void benchPersisted(Bench& bench) {
    constexpr int64_t kRows = 1'000'000, kAppend = 10'000;
    constexpr int kRounds = 3;
    const std::string empty = "1:0, `t`k`a`b`c`d`e`f`g`h, [TIMESTAMP, INT] join take(DOUBLE, 8)";
    std::string made = "rows = table(2024.01.02T09:30:00.000 + 0..9999 as t, 0..9999 as k";
    for (const char name : std::string_view("abcdefgh")) made += std::string(", rand(100.0, 10000) as ") + name;
    bench.run(made + "); db = database('dfs://kept', VALUE, 0..1)");
    const Ref<MemoryTable> rows = tableToRead(bench.run("rows"));
    const auto append = [&](const std::string& table) {
        Value target = bench.run(table);
        bench.run("sleep(1500)");
        return best(1, [&] {
            for (int64_t at = 0; at < kRows; at += kAppend) appendToTable(bench.context, target, *rows);
            const MemoryTable* memory = asMemoryTable(target);
            while (memory && memory->stream->published() < memory->stream->total()) std::this_thread::yield();
        });
    };
    double peer = HUGE_VAL, later = HUGE_VAL, synced = HUGE_VAL, handled = HUGE_VAL;
    for (int round = 0; round < kRounds; ++round) {
        peer = std::min(peer, append("createTable(db, table(" + empty + "), `peer)"));
        for (const bool isAsynchronous : {true, false}) {
            bench.run("enableTableShareAndPersistence(streamTable(" + empty +
                      "), `onDisk, asynWrite=" + (isAsynchronous ? "true" : "false") + ", cacheSize=100000)");
            double& ours = isAsynchronous ? later : synced;
            ours = std::min(ours, append("objByName(`onDisk)"));
            CHECK(bench.run("getPersistenceMeta(objByName(`onDisk)).sizeOnDisk").asLong() == kRows)
                << "all rows are on disk";
            bench.run("dropStreamTable(`onDisk)");
        }
        bench.run("enableTableShareAndPersistence(streamTable(" + empty +
                  "), `onDisk, cacheSize=100000); subscribeTable(tableName=`onDisk, handler=createTable(db, table(" +
                  empty + "), `taken), msgAsTable=true, batchSize=10000)");
        bench.run("sleep(1500)");
        Value target = bench.run("objByName(`onDisk)");
        handled = std::min(handled, best(1, [&] {
                               for (int64_t at = 0; at < kRows; at += kAppend)
                                   appendToTable(bench.context, target, *rows);
                               while (bench.run("exec count(*) from loadTable(db, `taken)").asLong() < kRows)
                                   std::this_thread::yield();
                           }));
        bench.run("unsubscribeTable(tableName=`onDisk); dropStreamTable(`onDisk)");
        bench.run("dropTable(db, `peer); dropTable(db, `taken)");
    }
    report("F5 1,000,000 rows on disk, by 10,000, async | database", later, peer, 1.25);
    report("F5 1,000,000 rows on disk, by 10,000, sync | database", synced, peer, 1.25);
    report("F5 1,000,000 rows on disk -> handler -> database | database", handled, peer, 1.43);
    bench.run("dropDatabase('dfs://kept')");
}

// The two ends of connections of this process, each read by a thread.
struct Pipes {
    explicit Pipes(int count) {
        for (int i = 0; i < count; ++i) {
            clients.push_back(Connection::open("127.0.0.1", acceptor.port(), 5000));
            servers.push_back(acceptor.accept(5000));
        }
    }
    // Sends by one thread for each pipe, and returns when each client has got so many bytes.
    void run(int64_t bytes, const std::function<void(Connection&)>& send) {
        std::vector<std::thread> threads;
        for (auto& server : servers) threads.emplace_back([&] { send(*server); });
        for (auto& client : clients) {
            threads.emplace_back([&client, bytes] {
                std::string buffer(1 << 16, '\0');
                for (int64_t left = bytes; left > 0; left -= std::min<int64_t>(left, std::ssize(buffer)))
                    client->read(buffer.data(), static_cast<size_t>(std::min<int64_t>(left, std::ssize(buffer))));
                client->shutdown();
            });
        }
        for (std::thread& thread : threads) thread.join();
    }
    Acceptor acceptor{"127.0.0.1", 0};
    std::vector<std::unique_ptr<Connection>> clients, servers;
};

// Rows that are there go to clients that ask for all of them; beside it their messages, made before.
void benchClients(Bench& bench) {
    constexpr int64_t kRows = 1'000'000, kRowsOfMessage = 1024;
    constexpr int kRounds = 5;
    bench.run(
        "share streamTable(1:0, `t`k`p`q`v, [TIMESTAMP, SYMBOL, DOUBLE, DOUBLE, LONG]) as fed; n = 1000000; "
        "fed.append!(table(2024.01.02T09:30:00.000 + 0..(n - 1) as t, take(`A`B`C`D, n) as k, rand(100.0, n) as p, "
        "rand(100.0, n) as q, long(0..(n - 1)) as v))");
    const Ref<MemoryTable> table(asMemoryTable(bench.run("objByName(`fed)")));
    const auto subscribe = [&](Publications& all) {
        PublicationOptions options;
        options.table = "fed";
        options.topic = "here/fed/a";
        return all.add(bench.process.services(), table, kRowsOfMessage, std::move(options), nullptr, nullptr, 0);
    };
    std::vector<std::string> messages;
    int64_t bytes = 0;
    {
        Publications all;
        const auto publication = subscribe(all);
        const auto take = [&](const Publication::Message& message) {
            messages.push_back(message.head + message.body->bytes);
            bytes += std::ssize(messages.back());
        };
        take(publication->schemaMessage());
        while (publication->position() < kRows) take(*publication->nextMessage());
    }
    for (const int clients : {1, 16}) {
        double ours = HUGE_VAL, prepared = HUGE_VAL;
        for (int round = 0; round < kRounds; ++round) {
            Pipes fed(clients), told(clients);
            Publications all;
            prepared = std::min(prepared, best(1, [&] {
                                    fed.run(bytes, [&](Connection& server) {
                                        for (const std::string& message : messages) server.write(message);
                                    });
                                }));
            ours = std::min(ours, best(1, [&] {
                                told.run(bytes, [&](Connection& server) {
                                    StreamPush push(server);
                                    const auto publication = subscribe(all);
                                    std::thread tending([&] {
                                        while (!publication->isClosed()) {
                                            push.tend();
                                            std::this_thread::sleep_for(std::chrono::milliseconds(5));
                                        }
                                    });
                                    push.serve(all, publication);
                                    tending.join();
                                });
                            }));
        }
        report(clients == 1 ? "F7 1,000,000 rows to a client | prepared bytes"
                            : "F7 1,000,000 rows to 16 clients | prepared bytes",
               ours, prepared, 1.11);
    }
    bench.run("dropStreamTable(`fed)");
}

void benchReplay(Bench& bench) {
    bench.run(
        "n = 1000000; def made(n, from) { return table(2024.01.02T09:30:00.000 + from + 3 * 0..(n - 1) as t, "
        "take(`A`B, "
        "n) as k, rand(100.0, n) as p) }; a = made(n, 0); b = made(n, 1); c = made(n, 2); share table(1:0, `t`k`p, "
        "[TIMESTAMP, SYMBOL, DOUBLE]) as played");
    double ours = HUGE_VAL, peer = HUGE_VAL;
    for (int round = 0; round < 3; ++round) {
        bench.run("delete from played");
        peer =
            std::min(peer, best(1, [&] { bench.run("twin = select * from unionAll([a, b, c], false) order by t"); }));
        ours = std::min(ours, best(1, [&] { bench.run("replay([a, b, c], `played, `t)"); }));
    }
    CHECK(bench.run("long(all(played.t == twin.t) && all(played.p == twin.p))").asLong() == 1)
        << "both have the rows in order";
    report("F8 replay of 3,000,000 rows of 3 inputs | query that sorts", ours, peer, 1.5);
    bench.run("undef(`played, SHARED)");
}

}  // namespace
}  // namespace pelorus

// A word names the part that is measured alone: append, handover, factors, bars, disk, clients or
// replay.
int main(int count, char** words) {
    using namespace pelorus;
    const std::string_view only = count > 1 ? words[1] : "";
    const auto isWanted = [&](std::string_view part) { return only.empty() || only == part; };
    registerAllFunctions();
    Bench bench;
    std::printf("%-58s %13s  %13s  %7s\n", "", "ours", "beside it", "ratio");
    if (isWanted("append")) benchAppend();
    if (isWanted("handover")) benchHandOver(bench);
    if (isWanted("factors")) benchFactors(bench);
    if (isWanted("bars")) benchBars(bench);
    if (isWanted("disk")) benchPersisted(bench);
    if (isWanted("clients")) benchClients(bench);
    if (isWanted("replay")) benchReplay(bench);
}
