#include "server/access/right_settings.h"

#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "common/error.h"
#include "server/access/access_control.h"
#include "server/access/client_policy.h"
#include "storage/version/metadata_embedded.h"

using namespace pelorus;

namespace {

using Kind = AccessObject::Kind;

// The objects of the test: everything, catalogs, databases, tables; views and modules; a tree, by the parent of each.
struct Node {
    AccessObject object;
    int parent;
};

struct Tree {
    std::vector<Node> nodes{{{}, -1}};
    std::map<std::string, std::string> catalogs;

    int add(AccessObject object, int parent) {
        nodes.push_back({std::move(object), parent});
        return static_cast<int>(nodes.size()) - 1;
    }
    Tree() {
        uint64_t table = 0;
        for (const std::string catalog : {"", "east", "west"}) {
            const int above = catalog.empty() ? 0 : add({Kind::Catalog, catalog}, 0);
            for (int d = 0; d < 2; ++d) {
                const std::string path = "dfs://" + catalog + std::to_string(d);
                if (!catalog.empty()) catalogs[path] = catalog;
                const int database = add({Kind::Database, path}, above);
                for (int t = 0; t < 2; ++t) add({Kind::Table, path, ++table}, database);
            }
        }
        for (const std::string module : {"a", "b"}) {
            const int space = add({Kind::ViewSpace, module}, 0);
            add({Kind::View, module + "::f"}, space);
            add({Kind::View, module + "::g"}, space);
        }
        add({Kind::View, "h"}, 0);
        add({Kind::SharedTable, "ticks"}, 0);
    }
    bool isBelow(int node, int above) const {
        for (int n = node; n >= 0; n = nodes[static_cast<size_t>(n)].parent) {
            if (n == above) return true;
        }
        return false;
    }
};

// The model: each holder has one of three states at each object, and a call paints the object and all below it.
enum class State : uint8_t { None, Allow, Deny };

struct Model {
    explicit Model(const Tree& tree) : tree(tree) {}

    // Returns whether the call is one that is refused.
    bool change(const std::string& holder, RightVerb verb, Right right, int node) {
        std::vector<State>& states = painted(holder, right);
        const int parent = tree.nodes[static_cast<size_t>(node)].parent;
        const State above = parent < 0 ? State::None : states[static_cast<size_t>(parent)];
        if (verb == RightVerb::Grant && above == State::Deny) return true;
        if (verb == RightVerb::Revoke && above != State::None) return false;
        const State paint = verb == RightVerb::Grant  ? State::Allow
                            : verb == RightVerb::Deny ? State::Deny
                                                      : State::None;
        for (size_t n = 0; n < tree.nodes.size(); ++n) {
            if (tree.isBelow(static_cast<int>(n), node)) states[n] = paint;
        }
        return false;
    }
    bool may(const std::vector<std::string>& holders, Right right, size_t node, bool owns) {
        bool allowed = owns;
        for (const std::string& holder : holders) {
            const State state = painted(holder, right)[node];
            if (state == State::Deny) return false;
            allowed |= state == State::Allow;
        }
        return allowed;
    }
    std::vector<State>& painted(const std::string& holder, Right right) {
        std::vector<State>& states = all[{holder, right}];
        states.resize(tree.nodes.size(), State::None);
        return states;
    }

    const Tree& tree;
    std::map<std::pair<std::string, Right>, std::vector<State>> all;
};

SecuredObject asked(const AccessObject& object, std::string_view owner) {
    switch (object.kind) {
        case Kind::Catalog:
            return {.kind = SecuredObject::Kind::Catalog, .name = object.name};
        case Kind::Database:
            return SecuredObject::ofDatabase(object.name, owner);
        case Kind::Table:
            return {.kind = SecuredObject::Kind::Table,
                    .database = object.name,
                    .name = "t",
                    .table = object.table,
                    .owner = owner};
        case Kind::SharedTable:
            return {.kind = SecuredObject::Kind::SharedTable, .name = object.name, .owner = owner};
        case Kind::View:
            return {.kind = SecuredObject::Kind::View, .name = object.name, .owner = owner};
        default:
            return {};
    }
}

}  // namespace

TEST_CASE("10,000 random settings of users and groups agree with a model of three states") {
    const Tree tree;
    std::mt19937 random(20261125);
    const auto pick = [&](size_t count) { return std::uniform_int_distribution<size_t>(0, count - 1)(random); };
    constexpr std::array kRightsDrawn{Right::Read, Right::Insert, Right::Delete, Right::ExecuteView};
    int changes = 0, refusals = 0, allowed = 0, checks = 0;
    while (changes < 10'000) {
        const auto store = memoryMetaStore();
        for (const auto& [database, catalog] : tree.catalogs) {
            REQUIRE(store->transact({}, {{"schema/" + catalog + "\n" + database.substr(6), database, 0}}).done);
        }
        ClientPolicy policy;
        AccessControl control(*store, *store, policy);
        const std::string hashed = "secret-1";
        control.createUser("ann", hashed, {}, false);
        control.createGroup("desk", {"ann"});
        control.createGroup("team", {});
        std::vector<std::string> holders{"ann", "desk"};
        Model model(tree);
        for (int step = 0; step < 500; ++step, ++changes) {
            const std::string holder = std::array<std::string, 3>{"ann", "desk", "team"}[pick(3)];
            const auto verb = static_cast<RightVerb>(pick(3));
            const Right right = kRightsDrawn[pick(kRightsDrawn.size())];
            const size_t node = pick(4) == 0 ? 0 : pick(tree.nodes.size());
            const AccessObject& object = tree.nodes[node].object;
            const bool refused = model.change(holder, verb, right, static_cast<int>(node));
            const auto change = [&] {
                control.changeRights(holder, verb, setOf(right), {object}, [](const auto& o) { return o.key(); });
            };
            if (refused) {
                CHECK_THROWS_WITH(change(), Catch::Contains("Invalid grant"));
                ++refusals;
            } else {
                change();
            }
            if (pick(100) == 0) {
                const bool isIn = holders.size() == 3;
                isIn ? control.removeMembers({"ann"}, {"team"}) : control.addMembers({"ann"}, {"team"});
                isIn ? holders.pop_back() : holders.push_back("team");
            }
            const auto principal = control.principalOf("ann");
            for (size_t n = 1; n < tree.nodes.size(); ++n) {
                const Kind kind = tree.nodes[n].object.kind;
                if (kind == Kind::ViewSpace) continue;
                const bool owns = kind != Kind::Catalog && pick(4) == 0;
                const bool may = principal->may(right, asked(tree.nodes[n].object, owns ? "ann" : "bob"));
                const bool expected = model.may(holders, right, n, owns);
                if (may != expected) {
                    FAIL("step " << step << ", right " << static_cast<int>(right) << " of "
                                 << tree.nodes[n].object.key() << ": " << may << ", but the model says " << expected);
                }
                allowed += may;
                ++checks;
            }
        }
        // Another node reads the same rights from the store.
        const AccessControl again(*store, *store, policy);
        for (size_t n = 1; n < tree.nodes.size(); ++n) {
            for (const Right right : kRightsDrawn) {
                const SecuredObject object = asked(tree.nodes[n].object, "bob");
                CHECK(again.principalOf("ann")->may(right, object) == control.principalOf("ann")->may(right, object));
            }
        }
    }
    CHECK(refusals > 100);
    CHECK(allowed > checks / 20);
    CHECK(allowed < checks * 19 / 20);
}

TEST_CASE("DB_OWNER for a prefix lets a user create databases of such names, and is denied as a whole only") {
    const auto store = memoryMetaStore();
    ClientPolicy policy;
    AccessControl control(*store, *store, policy);
    control.createUser("ann", "secret-1", {}, false);
    const auto may = [&](const char* path) {
        return control.principalOf("ann")->may(Right::CreateDatabase, SecuredObject::ofDatabase(path, ""));
    };
    const auto set = [&](RightVerb verb, const AccessObject& object) {
        control.changeRights("ann", verb, setOf(Right::CreateDatabase), {object},
                             [](const auto& o) { return o.key(); });
    };
    CHECK_FALSE(may("dfs://desk1"));
    set(RightVerb::Grant, {Kind::Prefix, "dfs://desk"});
    CHECK(may("dfs://desk1"));
    CHECK_FALSE(may("dfs://des"));
    set(RightVerb::Deny, {});
    CHECK_FALSE(may("dfs://desk1"));
    set(RightVerb::Revoke, {});
    CHECK_FALSE(may("dfs://desk1"));
    set(RightVerb::Grant, {});
    CHECK(may("dfs://other"));
}

TEST_CASE("the keys of stored rights name their objects, and others are errors") {
    for (const AccessObject& object : {AccessObject{}, AccessObject{Kind::Table, "dfs://a/b", 12},
                                       AccessObject{Kind::Database, "dfs://a"}, AccessObject{Kind::ViewSpace, "m"}}) {
        CHECK(AccessObject::ofKey(object.key()) == object);
    }
    for (const char* key :
         {"", "xdfs://a", "tdfs://a", "tdfs://a\n", "tdfs://a\n1x", "tdfs://a\n99999999999999999999999"})
        CHECK_THROWS_AS(AccessObject::ofKey(key), SystemError);
}
