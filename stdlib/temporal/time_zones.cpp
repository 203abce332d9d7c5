// convertTZ: converts the local time of one time zone to that of another.
#include "common/time/time_zone.h"
#include "runtime/function/function.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"
#include "stdlib/temporal/map_temporal.h"

namespace pelorus {

namespace {

Value convertZoneKernel(Context&, Arguments a) {
    const auto source = TimeZone::find(stringArgument(a, 1, "srcTZ"));
    const auto target = TimeZone::find(stringArgument(a, 2, "destTZ"));
    return mapElements(a[0], [&](const Vector& v) {
        const Type type = v.type();
        if (type != Type::DateTime && type != Type::Timestamp && type != Type::NanoTimestamp) {
            throw UserError(
                0, fmt::format("obj must be DATETIME, TIMESTAMP or NANOTIMESTAMP, but it is {}.", typeName(type)));
        }
        const int64_t perSecond = calendar::unitsPerDay(type) / calendar::kSecondsPerDay;
        Ref<Vector> out = Vector::make(type, v.size());
        for (int64_t i = 0; i < v.size(); ++i) {
            const Value element = v.at(i);
            if (element.isNull()) {
                out->set(i, element);
                continue;
            }
            const int64_t local = calendar::floorDivide(element.integer(), perSecond);
            const int64_t utc = local - source->offsetAtLocal(local);
            out->set(i, Value::scalar(type, element.integer() + (utc + target->offsetAt(utc) - local) * perSecond));
        }
        return out;
    });
}

}  // namespace

void registerTimeZones(FunctionRegistry& registry) {
    registry.add("convertTZ(obj, srcTZ, destTZ)", convertZoneKernel,
                 {.summary = "The time obj of the zone srcTZ as clocks in the zone destTZ show it, with the rules for "
                             "summer time of both.",
                  .parameters = "srcTZ, destTZ: names of the zone database, such as Asia/Tokyo",
                  .nulls = "NULL for NULL.",
                  .errors = "A zone is unknown; obj is no instant.",
                  .example = "convertTZ(2024.01.15T12:00:00, \"UTC\", \"Asia/Tokyo\") -> 2024.01.15T21:00:00"},
                 {.takes = {kAnything, kAnything | Takes::Constant, kAnything | Takes::Constant},
                  .gives = same(0),
                  .kind = FunctionKind::Elementwise});
}

}  // namespace pelorus
