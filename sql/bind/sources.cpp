#include "sql/bind/sources.h"

#include "common/thread/mutex.h"
#include "runtime/function/principal.h"
#include "runtime/table/table_access.h"
#include "sql/bind/file_source.h"
#include "sql/execution/query_snapshot.h"
#include "sql/plan/join_function.h"

namespace pelorus {

std::string nameOfSource(const NodeRef& node, const std::string& alias) {
    if (!alias.empty() || !node) return alias;
    if (node->kind == NodeKind::Name) return static_cast<const Name&>(*node).name;
    if (isFileSource(*node)) return nameOfFileSource(*node);
    if (node->kind == NodeKind::Constant) return static_cast<const Constant&>(*node).spelling;
    return "";
}

std::string nameOfArgument(const NodeRef& argument) {
    return argument->kind == NodeKind::Alias ? static_cast<const Alias&>(*argument).names[0]
                                             : nameOfSource(argument, "");
}

bool isJoinFunction(const Call& call) {
    return call.callee->kind == NodeKind::Name && isJoinName(static_cast<const Name&>(*call.callee).name);
}

namespace {

// Returns the right to its table that a query needs.
Right rightOf(QueryVerb verb) {
    return verb == QueryVerb::Insert   ? Right::Insert
           : verb == QueryVerb::Update ? Right::Update
           : verb == QueryVerb::Delete ? Right::Delete
                                       : Right::Read;
}

// A statement reads the rows that a shared table has when it begins, and stops no writer.
void readSnapshot(RowSource& source) {
    source.shared = Ref<MemoryTable>(source.memory());
    const OptionalLock guard(source.shared->lock.get());
    source.table = Ref<Table>(source.shared->snapshot());
    source.seenChanges = source.shared->changeCount();
}

}  // namespace

void takeTable(RowSource& source, Ref<Table> table, QueryVerb verb, Context& context) {
    source.table = std::move(table);
    if (source.memory()) {
        if (source.memory()->lock) {
            requireAccess(context, *source.memory(), rightOf(verb));
            readSnapshot(source);
        }
        source.snapshot = std::make_shared<MemoryTableSnapshot>(Ref<MemoryTable>(source.memory()));
    }
    // Taken once: the whole query sees the same rows. The target of a change asks for another right than to read.
    const bool isTarget = verb == QueryVerb::Update || verb == QueryVerb::Delete;
    if (source.partitioned()) {
        source.snapshot = isTarget ? source.partitioned()->takeSnapshot()
                                   : snapshotForQuery(*source.partitioned(), context.principal());
    }
}

}  // namespace pelorus
