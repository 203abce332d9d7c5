// Several clients of one process at once: how queries and appends scale.
//
//   sessions DATA_FOLDER SCRIPT CLIENTS RUNS [sync|nosync] [ARGS...]
//
// RUNS times: runs the script in a session per client, then `prepare()` in the first, then `work(client, clients,
// state)` in all of them at once (`state` is a variable of the script); prints the seconds that the last step took, one
// line a run.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include <fstream>

#include "apps/process/wiring.h"
#include "interpreter/engine/engine.h"
#include "runtime/function/principal.h"
#include "runtime/memory/allocator.h"
#include "runtime/value/vector.h"

using namespace pelorus;

namespace {

struct Client {
    explicit Client(const Services& services) : context(services, request), session(services) {
        request.userId = "admin";
        request.print = [](std::string_view string) {
            std::fprintf(stderr, "%.*s\n", int(string.size()), string.data());
        };
    }
    Value run(const std::string& script) { return evaluate(script, session, context); }

    Request request{Principal::owner()};
    Context context;
    Session session;
};

double secondsOf(Process& process, const std::string& script, const std::vector<std::string>& arguments, int clients) {
    std::vector<std::unique_ptr<Client>> all;
    for (int i = 0; i < clients; ++i) {
        all.push_back(std::make_unique<Client>(process.services()));
        all.back()->session.setVariable("args", Value::of(Vector::ofStrings(arguments)));
        all.back()->run(script);
    }
    all[0]->run("prepare()");
    auto begin = std::chrono::steady_clock::now();
    std::vector<std::thread> threads;
    for (int i = 0; i < clients; ++i) {
        threads.emplace_back([&, i] {
            try {
                all[static_cast<size_t>(i)]->run(fmt::format("work({}, {}, state)", i, clients));
            } catch (const std::exception& error) {
                std::fprintf(stderr, "client %d: %s\n", i, error.what());
                std::_Exit(1);
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

int main(int count, char** words) {
    if (count < 5) {
        std::fprintf(stderr, "sessions DATA_FOLDER SCRIPT CLIENTS RUNS [sync|nosync] [ARGS...]\n");
        return 2;
    }
    std::ifstream file(words[2]);
    std::ostringstream script;
    script << file.rdbuf();
    ProcessOptions options;
    options.dataFolder = words[1];
    options.storage.dataSync = count < 6 || std::string(words[5]) != "nosync";
    memory::keepFreedMemory();
    registerAllFunctions();
    Process process(options);
    std::vector<std::string> arguments(words + std::min(count, 6), words + count);
    try {
        for (int run = 0; run < std::atoi(words[4]); ++run) {
            std::printf("%.6f\n", secondsOf(process, script.str(), arguments, std::atoi(words[3])));
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
