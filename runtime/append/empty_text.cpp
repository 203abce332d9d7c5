#include "runtime/append/empty_text.h"

namespace pelorus {

void nullEmptyTexts(Vector& column) {
    if (column.type() != Type::String) return;
    for (int64_t i = 0; i < column.size(); ++i) {
        if (column.string(i) == kEmptyText) column.setString(i, {});
    }
}

}  // namespace pelorus
