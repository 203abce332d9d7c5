#include "runtime/table/table_access.h"

#include <catch2/catch.hpp>
#include <functional>
#include <memory>

#include "common/error.h"
#include "runtime/function/function.h"
#include "runtime/registry/registry.h"
#include "runtime/value/dictionary.h"

using namespace pelorus;

namespace {

// Refuses one table to everybody but its owner.
class OneControlled final : public TableAccess {
public:
    explicit OneControlled(const Table& table) : table_(table) { controlled_.fetch_add(1); }
    ~OneControlled() override { controlled_.fetch_sub(1); }
    void require(const Table& table, Right right, const Principal& principal) const override {
        if (!allows(table, right, principal)) throw UserError("<NoPrivilege>");
    }
    bool allows(const Table& table, Right, const Principal& principal) const override {
        return &table != &table_ || principal.user() == "owner";
    }

private:
    const Table& table_;
};

Value tupleOf(std::vector<Value> elements) {
    return Value::of(makeRef<Tuple>(std::move(elements)));
}

Value dictionaryOf(Value element) {
    auto d = makeRef<Dictionary>(Type::String, Type::Any, true);
    d->set(Value::ofString("a"), Value::ofInt(1));
    d->set(Value::ofString("b"), std::move(element));
    return Value::of(d);
}

struct Fixture {
    Ref<MemoryTable> table = makeRef<MemoryTable>(std::vector<std::string>{"a"},
                                                  std::vector<Value>{Value::of(Vector::of(Type::Int, std::vector{1}))});
    Services services;
    Request request{std::make_shared<const Principal>("user", Principal::Powers{})};
    Context context{services, request};

    Fixture() {
        table->lock = std::make_shared<RecursiveMutex>();
        services.add<TableAccess>(std::make_shared<OneControlled>(*table));
    }
    Value value() const { return Value::of(Ref<Table>(table)); }
    bool isRefused(const Value& v, HeldValues held = HeldValues::Shown) const {
        try {
            requireAccessWithin(context, v, Right::Read, held);
            return false;
        } catch (const UserError&) {
            return true;
        }
    }
};

}  // namespace

TEST_CASE("a table that may not be read is found within every container") {
    const Fixture f;
    const auto inCells = [](const Value& v) {
        return Value::of(
            Ref<Table>(makeRef<MemoryTable>(std::vector<std::string>{"c"}, std::vector<Value>{tupleOf({v})})));
    };
    const std::vector<std::function<Value(Value)>> containers = {[](Value v) { return v; },
                                                                 [](Value v) {
                                                                     return tupleOf({Value::ofInt(1), v});
                                                                 },
                                                                 dictionaryOf, inCells};
    for (const auto& outer : containers) {
        for (const auto& middle : containers) {
            for (const auto& inner : containers) {
                CHECK(f.isRefused(outer(middle(inner(f.value())))));
                CHECK_FALSE(f.isRefused(outer(middle(inner(Value::ofInt(7))))));
            }
        }
    }
    Value deep = f.value();
    for (int i = 0; i < 200'000; ++i) deep = tupleOf({deep});
    CHECK(f.isRefused(deep));
}

TEST_CASE("functions are asked for what their text shows, or for all that they hold") {
    const Fixture f;
    class Holder final : public Function {
    public:
        explicit Holder(Value held) : held_(std::move(held)) {}
        std::string_view name() const override { return "holder"; }
        const Signature& signature() const override { return signature_; }
        std::string_view portableKind() const override { return "holder"; }
        Value save() const override { return {}; }
        Value call(Context&, std::span<Value>) const override { return {}; }
        std::vector<Value> heldValues() const override { return {held_}; }

    private:
        const Value held_;
        const Signature signature_;
    };
    const Value itself = Value::of(Ref<Function>(makeRef<Holder>(f.value())));
    const Value within = Value::of(Ref<Function>(makeRef<Holder>(tupleOf({f.value()}))));
    CHECK_FALSE(f.isRefused(itself));  // its text is that of the function
    CHECK(f.isRefused(itself, HeldValues::All));
    CHECK(f.isRefused(within));
    CHECK(f.isRefused(tupleOf({itself}), HeldValues::All));
}

TEST_CASE("a value that holds itself is looked through once") {
    const Fixture f;
    auto d = makeRef<Dictionary>(Type::String, Type::Any, true);
    d->set(Value::ofString("self"), Value::of(d));
    CHECK_FALSE(f.isRefused(Value::of(d)));
    d->set(Value::ofString("t"), f.value());
    CHECK(f.isRefused(Value::of(d)));
    d->clear();
}

TEST_CASE("a view uses the tables that its caller passed with the rights of the caller") {
    Fixture f;
    const Principal owner("owner", {}), caller("user", {});
    CallerTables outer(caller, nullptr);
    f.context.definer = &owner;
    CHECK(hasAccess(f.context, *f.table, Right::Read));
    f.context.callerTables = &outer;
    CHECK(hasAccess(f.context, *f.table, Right::Read));
    outer.add(Ref<Table>(f.table));
    CHECK_FALSE(hasAccess(f.context, *f.table, Right::Read));
    // A view of the owner in between does not make the table its own.
    CallerTables inner(owner, &outer);
    inner.add(Ref<Table>(f.table));
    f.context.callerTables = &inner;
    CHECK_FALSE(hasAccess(f.context, *f.table, Right::Read));
    CHECK_THROWS_AS(refuseTablesOfCaller(f.context, tupleOf({f.value()}), "a job"), UserError);
    CHECK_NOTHROW(refuseTablesOfCaller(f.context, tupleOf({Value::ofInt(1)}), "a job"));
}
