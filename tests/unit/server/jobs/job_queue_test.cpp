// Jobs that end, are forgotten, are waited for, and threads that are not to be had.
#include "server/jobs/job_queue.h"
#include "runtime/function/principal.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <set>

#include "common/error.h"
#include "tests/support/address_limit.h"

using namespace pelorus;

namespace {

// A dummy function: the session below does the work of the jobs.
class Nothing final : public Function {
public:
    std::string_view name() const override { return "nothing"; }
    const Signature& signature() const override { return signature_; }
    Value call(Context&, std::span<Value>) const override { return Value(); }
    std::string_view portableKind() const override { return "nothing"; }
    Value save() const override { return Value(); }

private:
    const Signature signature_;
};

// A job returns its first argument; of a negative one it fails, of 0 it waits until it is cancelled.
class EchoSession final : public ScriptSession {
public:
    Value run(Request&, std::string_view) override { return Value(); }
    Value call(Request&, std::string_view, std::vector<Value>) override { return Value(); }
    Value apply(Request& request, const Function&, std::vector<Value> arguments) override {
        if (arguments[0].integer() < 0) throw UserError("negative");
        while (arguments[0].integer() == 0 && !request.cancelled)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return arguments[0];
    }
    void setVariable(const std::string&, Value) override {}
    void clear() override {}
};

class EchoHost final : public ScriptHost {
public:
    std::unique_ptr<ScriptSession> newSession() override { return std::make_unique<EchoSession>(); }
    std::shared_ptr<const Principal> principalOf(const std::string&) override { return Principal::owner(); }
};

std::string submit(JobQueue& queue, int number) {
    return queue.submit({}, {makeRef<Nothing>(), {Value::ofInt(number)}});
}

}  // namespace

TEST_CASE("jobs that many submit while old ones are forgotten keep their names and results") {
    EchoHost host;
    JobQueue queue(host, {.workers = 2, .remembered = 3});
    std::mutex mutex;
    std::set<std::string> ids;
    std::atomic<int> found{0}, forgotten{0};
    std::vector<std::thread> clients;
    for (int c = 0; c < 4; ++c) {
        clients.emplace_back([&] {
            Services services;
            Request request{Principal::owner()};
            Context context(services, request);
            for (int i = 1; i <= 100; ++i) {
                const std::string id = submit(queue, i);
                try {
                    found += queue.result(id, true, context).integer() == i;
                } catch (const UserError&) {
                    ++forgotten;
                }
                const std::lock_guard guard(mutex);
                ids.insert(id);
            }
        });
    }
    for (std::thread& client : clients) client.join();
    CHECK(found + forgotten == 400);
    CHECK(found > 0);
    CHECK(ids.size() == 400);
    // Those that are remembered, and two that the workers had when the last one was forgotten.
    CHECK(queue.recent(0).size() <= 5);
}

TEST_CASE("who waits for a job's result gets it, though the job is forgotten meanwhile") {
    EchoHost host;
    JobQueue queue(host, {.workers = 2, .remembered = 1});
    const std::string waits = submit(queue, 0);
    std::thread other([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        queue.cancel(waits);
        for (int i = 1; i < 50; ++i) submit(queue, i);
    });
    Services services;
    Request request{Principal::owner()};
    Context context(services, request);
    CHECK(queue.result(waits, true, context).integer() == 0);
    other.join();
    const std::string fails = submit(queue, -1);
    CHECK_THROWS_WITH(queue.result(fails, true, context), Catch::Contains("failed: negative"));
}

TEST_CASE("a queue whose threads are not to be had is an error, and those that began end") {
    EchoHost host;
    std::string string;
    try {
        const testing::AddressLimit limit;
        const JobQueue queue(host, {.workers = 1000});
    } catch (const SystemError& error) {
        string = error.what();
    }
    CHECK_THAT(string, Catch::Contains("no thread"));
    JobQueue queue(host, {.workers = 2});
    const std::string id = submit(queue, 5);
    CHECK_FALSE(id.empty());
}

TEST_CASE("one user's jobs leave places in the queue for those of others") {
    EchoHost host;
    JobQueue queue(host, {.workers = 1, .mostWaiting = 10, .mostWaitingOfUser = 3});
    const auto submitAs = [&](const char* user, int number) {
        return queue.submit({.userId = user}, {makeRef<Nothing>(), {Value::ofInt(number)}});
    };
    std::vector<std::string> ids{submitAs("ann", 0)};
    while (queue.status(ids[0]).startedMillis == 0) std::this_thread::yield();
    for (int i = 0; i < 3; ++i) ids.push_back(submitAs("ann", 0));
    CHECK_THROWS_WITH(submitAs("ann", 0), Catch::Contains("3 jobs of ann wait"));
    ids.push_back(submitAs("bob", 7));
    queue.cancel(ids[1]);
    for (const std::string& id : ids) queue.cancel(id);
}

TEST_CASE("the user with the fewest running jobs is next, and a full queue refuses") {
    EchoHost host;
    JobQueue queue(host, {.workers = 2, .mostWaiting = 4});
    const auto submitAs = [&](const char* user, int number) {
        return queue.submit({.userId = user}, {makeRef<Nothing>(), {Value::ofInt(number)}});
    };
    std::vector<std::string> longOnes;
    longOnes.push_back(submitAs("ann", 0));
    longOnes.push_back(submitAs("ann", 0));
    const auto isRunning = [&](const std::string& id) { return queue.status(id).startedMillis != 0; };
    while (!isRunning(longOnes[0]) || !isRunning(longOnes[1])) std::this_thread::yield();
    for (int i = 0; i < 3; ++i) longOnes.push_back(submitAs("ann", 0));
    const std::string other = submitAs("bob", 7);
    CHECK_THROWS_WITH(submitAs("bob", 7), Catch::Contains("jobs wait"));
    queue.cancel(longOnes[0]);
    Services services;
    Request request{Principal::owner()};
    Context context(services, request);
    CHECK(queue.result(other, true, context).integer() == 7);
    CHECK(queue.status(longOnes[4]).startedMillis == 0);
    for (const std::string& id : longOnes) queue.cancel(id);
}
