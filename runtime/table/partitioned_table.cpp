#include "runtime/function/handle_maker.h"
#include "runtime/function/principal.h"
#include "runtime/table/table.h"

namespace pelorus {

SecuredObject PartitionedTable::secured() const {
    return {};
}

SecuredObject PartitionedTable::securedDatabase() const {
    return {};
}

static void requireByHandle(const HandleMaker* maker, const Principal& who, Right right, const SecuredObject& object) {
    if (maker == nullptr) return who.require(right, object);
    maker->require(who, right, object);
}

void PartitionedTable::require(const Principal& who, Right right) const {
    const SecuredObject object = secured();
    if (object.kind != SecuredObject::Kind::Nothing) requireByHandle(maker(), who, right, object);
}

void PartitionedTable::requireToAlter(const Principal& who, Right right) const {
    const SecuredObject database = securedDatabase();
    if (database.kind == SecuredObject::Kind::Nothing) return;
    requireByHandle(maker(), who, right, database);
    require(who, Right::Read);
}

std::shared_ptr<TableSnapshot> PartitionedTable::snapshot(const Principal& who, uint64_t number) const {
    require(who, Right::Read);
    return takeSnapshot(number);
}

}  // namespace pelorus
