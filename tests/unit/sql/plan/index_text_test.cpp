#include "sql/plan/index_text.h"

#include <catch2/catch.hpp>

#include "runtime/append/indexed_snapshot.h"
#include "sql/plan/memory_snapshot.h"

using namespace pelorus;

namespace {

// A snapshot with an index of its second and first column.
class Indexed final : public TableSnapshot, public IndexedSnapshot {
public:
    uint64_t number() const override { return 1; }
    const std::vector<PartitionEntry>& partitions() const override {
        static const std::vector<PartitionEntry> none;
        return none;
    }
    std::unique_ptr<PartitionReader> open(size_t) const override { return {}; }
    std::unique_ptr<PartitionReader> find(size_t, const std::vector<ColumnConstraint>&) const override { return {}; }
    std::optional<Index> indexFor(const std::vector<ColumnConstraint>& constraints) const override {
        if (constraints.empty()) return {};
        return Index{"t_pkey", {1, 0}};
    }
    std::optional<std::vector<Value>> lookUp(const std::vector<ColumnConstraint>&,
                                             const std::vector<int>&) const override {
        return {};
    }
    std::optional<std::vector<Value>> readFew(const std::vector<ColumnConstraint>&,
                                              const std::vector<int>&) const override {
        return {};
    }
};

}  // namespace

TEST_CASE("the index that finds the rows of constraints is named with its columns") {
    const TableSchema columns = {{"a", Type::Long}, {"b", Type::Long}};
    const Indexed indexed;
    CHECK(indexText(indexed, columns, {columnEquals(0, Value::ofLong(1))}) == "Index look-up using t_pkey (b, a)");
    CHECK(indexText(indexed, columns, {}).empty());
    CHECK(indexText(MemoryTableSnapshot(makeRef<MemoryTable>()), columns, {columnEquals(0, Value::ofLong(1))}).empty());
}
