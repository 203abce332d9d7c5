#include "sql/change/row_change.h"

#include <catch2/catch.hpp>

#include "runtime/code/expression.h"
#include "tests/support/partitioned_bench.h"

using namespace pelorus;
using pelorus::testing::PartitionedBench;

namespace {

// Rows in memory that note the changes that they are asked for, and refuse some first.
class NotedRows final : public RowAccess {
public:
    explicit NotedRows(Ref<MemoryTable> rows) : rows_(std::move(rows)) {}

    std::unique_ptr<Transaction> beginTransaction() const override { return nullptr; }
    void showEmptyTexts() override {}
    Rows rowsToChange(const std::vector<ColumnConstraint>& constraints, Transaction*) const override {
        fixed = constraints;
        ++looks;
        Rows seen;
        seen.rows = rows_->copy();
        for (int64_t i = 0; i < rows_->rowCount(); ++i) seen.ids.push_back(static_cast<uint64_t>(i));
        return seen;
    }
    LockedRows lockRows(const Rows&, const std::vector<int32_t>&, RowLockStrength, RowLockPolicy, Transaction&,
                        int64_t) override {
        return {};
    }
    void lockTable(int, bool, Transaction&) override {}
    bool changeRows(const Rows&, const RowUpdate& update, Transaction*) override {
        if (refusals-- > 0) return false;
        last = update;
        return true;
    }
    void insertRows(const MemoryTable&, Transaction&) override {}
    std::vector<int32_t> insertNew(const MemoryTable&, const std::vector<std::string>&, Transaction*) override {
        return {};
    }
    Conflicts findConflicts(const MemoryTable&, const std::vector<std::string>&, Transaction&) const override {
        return {};
    }
    bool insertAndChange(const NewRows&, const Rows&, const RowUpdate&, Transaction&) override { return false; }
    void createIndex(const std::string&, const std::vector<std::string>&, bool) override {}

    mutable std::vector<ColumnConstraint> fixed;
    mutable int looks = 0;
    int refusals = 0;
    RowUpdate last;

private:
    const Ref<MemoryTable> rows_;
};

struct Bench : PartitionedBench {
    Bench() { run("t = table(1 2 3 4 as k, 10 20 30 40 as v, `a`b`a`b as s)"); }

    int64_t change(NotedRows& rows, const std::string& statement) {
        const Value code = run("<" + statement + ">");
        const auto table = partitioned("t", {level(PartitionKind::Range, "0 100")}, {"k"});
        return changeRowTable(static_cast<const Query&>(*code.as<Code>()->node), *table, rows, context);
    }
    NotedRows rows() { return NotedRows(Ref<MemoryTable>(run("t").table().asMemory())); }
};

}  // namespace

TEST_CASE_METHOD(Bench, "an update writes the rows whose cells change, and counts those that match") {
    NotedRows noted = rows();
    CHECK(change(noted, "update t set v = 20 where k <= 2") == 2);
    CHECK(noted.last.positions == std::vector<int32_t>{0});
    CHECK_FALSE(noted.last.erases);
    REQUIRE(noted.last.columns.size() == 1);
    CHECK(noted.last.columns[0].first == 1);
    CHECK(noted.last.columns[0].second.at(0).asLong() == 20);
}

TEST_CASE_METHOD(Bench, "a delete erases the rows that match") {
    NotedRows noted = rows();
    CHECK(change(noted, "delete from t where s = `b") == 2);
    CHECK(noted.last.erases);
    CHECK(noted.last.positions == std::vector<int32_t>{1, 3});
}

TEST_CASE_METHOD(Bench, "equalities and ranges are told, so that an index can find the rows") {
    NotedRows noted = rows();
    change(noted, "update t set v = 0 where k = 3 and v > 5");
    REQUIRE(noted.fixed.size() == 2);
    CHECK(noted.fixed[1].low.asLong() == 5);
    CHECK(noted.fixed[0].column == 0);
    CHECK(noted.fixed[0].anyOf.at(0).asLong() == 3);
}

TEST_CASE_METHOD(Bench, "a change is computed again until the rows are still those that it read") {
    NotedRows noted = rows();
    noted.refusals = 3;
    CHECK(change(noted, "update t set v = v + 1 where k = 1") == 1);
    CHECK(noted.looks == 4);
    CHECK(change(noted, "delete from t where k > 100") == 0);
    CHECK(noted.looks == 5);
}
