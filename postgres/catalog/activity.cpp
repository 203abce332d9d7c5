#include "postgres/catalog/activity.h"

#include "postgres/catalog/object_numbers.h"
#include "postgres/functions/conversions.h"

namespace pelorus::postgres {

namespace {

Value instant(int64_t nanoseconds) {
    return nanoseconds == 0 ? Value() : Value::scalar(Type::NanoTimestamp, nanoseconds);
}

}  // namespace

void collectActivity(Context& context, CatalogRows& rows) {
    const auto* source = context.service<ActivitySource>();
    if (source == nullptr) return;
    for (const Activity& session : source->sessions(context))
        rows.push_back({Value::ofLong(kDatabaseNumber),
                        textValue("pelorus"),
                        Value::ofInt(session.processId),
                        Value(),
                        Value::ofLong(roleNumber(session.user)),
                        textValue(session.user),
                        textValue(session.applicationName),
                        session.address.empty() ? Value() : textValue(session.address),
                        Value(),
                        Value::ofInt(session.port),
                        instant(session.connected),
                        instant(session.began),
                        instant(session.isRunning ? session.began : session.lastActive),
                        instant(session.isRunning ? session.began : session.lastActive),
                        session.lock.empty() ? Value() : textValue("Lock"),
                        session.lock.empty() ? Value() : textValue(session.lock),
                        textValue(session.isRunning ? "active" : "idle"),
                        Value(),
                        Value(),
                        Value(),
                        textValue(session.query),
                        textValue("client backend")});
}

}  // namespace pelorus::postgres
