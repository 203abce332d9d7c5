#include "runtime/kernel/block/month_kernels.h"

#include "common/time/calendar.h"

namespace pelorus {

void monthOfDays(const void* days, void* months, int64_t n) {
    const auto* in = static_cast<const int32_t*>(days);
    auto* out = static_cast<int32_t*>(months);
    for (int64_t i = 0; i < n; ++i) {
        calendar::CivilDate date = calendar::civilFromDays(in[i]);
        out[i] = isNull(in[i]) ? null<int32_t> : date.year * 12 + date.month - 1;
    }
}

void firstDayOfMonths(const void* months, void* days, int64_t n) {
    const auto* in = static_cast<const int32_t*>(months);
    auto* out = static_cast<int32_t*>(days);
    for (int64_t i = 0; i < n; ++i) {
        int64_t year = calendar::floorDivide(in[i], 12);
        auto month = static_cast<int32_t>(in[i] - year * 12 + 1);
        out[i] = isNull(in[i]) ? null<int32_t> : static_cast<int32_t>(calendar::daysFromCivil(year, month, 1));
    }
}

}  // namespace pelorus
