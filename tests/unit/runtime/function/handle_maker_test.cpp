#include "runtime/function/handle_maker.h"

#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <set>

#include "common/error.h"
#include "runtime/function/principal_source.h"

using namespace pelorus;

namespace {

class MayRead final : public GrantedRights {
public:
    explicit MayRead(bool mayRead) : mayRead_(mayRead) {}
    bool allows(Right right, const SecuredObject&) const override { return mayRead_ && right == Right::Read; }
    bool denies(Right) const override { return false; }

private:
    const bool mayRead_;
};

class Users final : public PrincipalSource {
public:
    explicit Users(std::set<std::string> readers) : readers_(std::move(readers)) {}
    std::shared_ptr<const Principal> principalOf(const std::string& user, bool = false) const override {
        return std::make_shared<const Principal>(user, Principal::Powers{.callsPublic = true},
                                                 std::make_shared<MayRead>(readers_.contains(user)));
    }

private:
    const std::set<std::string> readers_;
};

const SecuredObject kTable{.kind = SecuredObject::Kind::Table, .database = "dfs://db", .name = "t"};

bool mayRead(const HandleMaker& maker, const Principal& who) {
    try {
        maker.require(who, Right::Read, kTable);
        return true;
    } catch (const UserError&) {
        return false;
    }
}

}  // namespace

TEST_CASE("a handle is used with the rights of who made it, and of who uses it elsewhere") {
    // For each set of readers: the maker's own code, another user's, a view of another user that the maker calls, and a
    // view that got the handle otherwise.
    for (const std::set<std::string>& readers :
         {std::set<std::string>{}, std::set<std::string>{"maker"}, {"other"}, {"maker", "other"}}) {
        const Users users(readers);
        const HandleMaker made("maker", &users);
        const auto maker = users.principalOf("maker"), other = users.principalOf("other");
        const bool makerReads = readers.contains("maker"), otherReads = readers.contains("other");
        CHECK(mayRead(made, *maker) == makerReads);
        CHECK(mayRead(made, *other) == (makerReads && otherReads));
        CHECK(mayRead(made, *other->calledBy(*maker)) == makerReads);
        const auto third = users.principalOf("third");
        CHECK(mayRead(made, *other->calledBy(*third)) == (makerReads && otherReads));
        // For views within views, the first caller who made it counts.
        const auto inner = third->calledBy(*maker);
        CHECK(mayRead(made, *other->calledBy(*inner)) == makerReads);
    }
}

TEST_CASE("a handle that nobody made is used with the rights of who uses it") {
    const Users users({"reader"});
    CHECK(mayRead(HandleMaker(), *users.principalOf("reader")));
    CHECK_FALSE(mayRead(HandleMaker(), *users.principalOf("other")));
    CHECK(mayRead(HandleMaker("", &users), *users.principalOf("reader")));
}
