// Measures the time of a check of a right, next to that of a look-up in a hash table of strings, its lower bound.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <unordered_map>
#include <vector>

#include "server/access/access_control.h"
#include "server/access/client_policy.h"
#include "storage/version/metadata_embedded.h"

using namespace pelorus;

namespace {

constexpr int kDatabases = 200;
constexpr int kTables = 50;  // of each database
constexpr int kRounds = 5;

template <class F>
double nanosEach(int64_t count, F&& f) {
    double best = 1e18;
    for (int round = 0; round < kRounds; ++round) {
        const auto start = std::chrono::steady_clock::now();
        f();
        best =
            std::min(best, std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count());
    }
    return best / static_cast<double>(count);
}

}  // namespace

int main() {
    const auto store = memoryMetaStore();
    const ClientPolicy policy;
    AccessControl control(*store, *store, policy);
    control.createUser("ann", "secret-1", {}, false);
    control.createGroup("desk", {"ann"});
    std::vector<std::string> paths;
    for (int d = 0; d < kDatabases; ++d) paths.push_back("dfs://database" + std::to_string(d));
    std::unordered_map<std::string, int> plain;
    for (int d = 0; d < kDatabases; ++d) {
        plain[paths[static_cast<size_t>(d)]] = d;
        std::vector<AccessObject> objects;
        if (d % 2 == 0) objects.push_back({AccessObject::Kind::Database, paths[static_cast<size_t>(d)]});
        for (int t = 0; t < 5; ++t)
            objects.push_back(
                {AccessObject::Kind::Table, paths[static_cast<size_t>(d)], static_cast<uint64_t>(d * kTables + t)});
        control.changeRights(d % 3 == 0 ? "ann" : "desk", d % 7 == 6 ? RightVerb::Deny : RightVerb::Grant,
                             setOf(Right::Read), objects, [](const AccessObject& o) { return o.key(); });
    }
    const auto principal = control.principalOf("ann");
    std::vector<SecuredObject> asked;
    for (int i = 0; i < 100'000; ++i) {
        const int d = i * 7919 % kDatabases;
        asked.push_back({.kind = SecuredObject::Kind::Table,
                         .database = paths[static_cast<size_t>(d)],
                         .name = "t",
                         .table = static_cast<uint64_t>(d * kTables + i % 11),
                         .owner = "bob"});
    }
    int64_t allowed = 0, found = 0;
    const auto count = static_cast<int64_t>(asked.size());
    const double check = nanosEach(count, [&] {
        for (const SecuredObject& object : asked) allowed += principal->may(Right::Read, object);
    });
    const double lookup = nanosEach(count, [&] {
        for (const SecuredObject& object : asked) found += plain.count(std::string(object.database)) > 0;
    });
    const double made = nanosEach(count, [&] {
        for (int64_t i = 0; i < count; ++i) allowed += control.principalOf("ann")->isGuest();
    });
    std::printf("check of a right            %7.1f ns   (goal 100; %.2f of a look-up of a string, %.1f ns)\n", check,
                check / lookup, lookup);
    std::printf("principal of a request      %7.1f ns\n", made);
    return allowed > 0 && found > 0 ? 0 : 1;
}
