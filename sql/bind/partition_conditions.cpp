#include "sql/bind/partition_conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "common/error.h"
#include "runtime/partition/partition_scheme.h"
#include "sql/expression/dummy_call.h"

namespace pelorus {

static size_t levelOf(const RowSource& source, const DummyCall& call, std::string_view function) {
    if (!source.partitioned()) {
        throw UserError(fmt::format("{} is for partitioned tables; this one has no partitions.", function));
    }
    const NodeRef column = call.node("partitionCol");
    if (!column || column->kind != NodeKind::Name)
        throw UserError(fmt::format("The first argument of {} must be a partition column.", function));
    const std::string& name = static_cast<const Name&>(*column).name;
    const auto& columns = source.partitioned()->partitionColumns();
    const auto at = std::find(columns.begin(), columns.end(), name);
    if (at == columns.end()) throw UserError(fmt::format("{} is no partition column of the table.", name));
    return static_cast<size_t>(at - columns.begin());
}

static std::vector<size_t> readPartitions(const RowSource& source) {
    if (source.partitions) return *source.partitions;
    std::vector<size_t> all(source.snapshot->partitions().size());
    for (size_t i = 0; i < all.size(); ++i) all[i] = i;
    return all;
}

// Keys are values of a VALUE level, and numbers of partitions of the others.
static void keepNamed(RowSource& source, const DummyCall& call, Context& context) {
    const size_t level = levelOf(source, call, "partition");
    const Value keys = call.constant("keys", context);
    const PartitionLevel& scheme = source.partitioned()->scheme().levels()[level];
    std::vector<int> wanted;
    for (int64_t i = 0; i < keys.size(); ++i) {
        const Value key = keys.isScalar() ? keys : keys.at(i);
        const bool byNumber = scheme.kind() != PartitionKind::Value;
        if (key.isNull() || (byNumber && !(key.isNumber() && isIntegral(key.type()))))
            throw UserError("keys of partition must be values of a VALUE scheme, or numbers of partitions of others.");
        const int64_t number = byNumber ? key.asLong() : scheme.placeOne(key);
        if (number < 0 || number >= scheme.count())
            throw UserError("A key of partition is outside of the partition scheme.",
                            "schema(t).partitionSchema shows it.");
        wanted.push_back(static_cast<int>(number));
    }
    std::vector<size_t> kept;
    for (const size_t p : readPartitions(source)) {
        const int at = source.snapshot->partitions()[p].index.at(level);
        if (std::find(wanted.begin(), wanted.end(), at) != wanted.end()) kept.push_back(p);
    }
    source.partitions = std::move(kept);
}

// Selects some of the partitions of a level at random: a share of them below 1, else so many.
static void keepSample(RowSource& source, const DummyCall& call, Context& context) {
    const size_t level = levelOf(source, call, "sample");
    const Value size = call.constant("size", context);
    const double given = size.isNumber() && !size.isNull() ? size.asDouble() : 0;
    if (given <= 0 || (given >= 1 && !isIntegral(size.type())))
        throw UserError("size of sample must be a share between 0 and 1, or an integer above 0.");
    std::vector<int> numbers;
    for (const size_t p : readPartitions(source)) numbers.push_back(source.snapshot->partitions()[p].index.at(level));
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    const auto all = static_cast<double>(numbers.size());
    std::shuffle(numbers.begin(), numbers.end(), std::mt19937_64(std::random_device()()));
    numbers.resize(static_cast<size_t>(given < 1 ? all * given : std::min(all, given)));
    std::vector<size_t> kept;
    for (const size_t p : readPartitions(source)) {
        const int at = source.snapshot->partitions()[p].index.at(level);
        if (std::find(numbers.begin(), numbers.end(), at) != numbers.end()) kept.push_back(p);
    }
    source.partitions = std::move(kept);
}

static void splitConditions(const NodeRef& node, NodeList& parts) {
    if (node->kind == NodeKind::Binary && static_cast<const Binary&>(*node).op == Operator::And) {
        splitConditions(static_cast<const Binary&>(*node).left, parts);
        splitConditions(static_cast<const Binary&>(*node).right, parts);
    } else {
        parts.push_back(node);
    }
}

static bool names(const NodeRef& node, std::string_view function) {
    if (node->kind != NodeKind::Call) return false;
    const auto& call = static_cast<const Call&>(*node);
    return call.callee->kind == NodeKind::Name && static_cast<const Name&>(*call.callee).name == function;
}

void takePartitionConditions(RowSource& source, NodeList& where, Context& context) {
    NodeList kept;
    for (const NodeRef& condition : where) {
        NodeList parts;
        splitConditions(condition, parts);
        const auto chooses = [&](const NodeRef& part) {
            return source.partitioned() && (names(part, "partition") || names(part, "sample"));
        };
        if (std::none_of(parts.begin(), parts.end(), chooses)) {
            kept.push_back(condition);
            continue;
        }
        for (const NodeRef& part : parts) {
            if (!chooses(part)) {
                kept.push_back(part);
            } else if (names(part, "partition")) {
                keepNamed(source, DummyCall(*part, {"partitionCol", "keys"}), context);
            } else {
                keepSample(source, DummyCall(*part, {"partitionCol", "size"}), context);
            }
        }
    }
    where = std::move(kept);
}

}  // namespace pelorus
