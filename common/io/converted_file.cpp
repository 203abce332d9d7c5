#include "common/io/converted_file.h"

#include "common/error.h"

namespace pelorus {

static InternalError readOnly() {
    return InternalError("A file that is converted while it is read cannot be written.");
}

void ConvertedFile::append(std::string_view) {
    throw readOnly();
}
void ConvertedFile::overwrite(int64_t, std::string_view) {
    throw readOnly();
}
void ConvertedFile::sync() {
    throw readOnly();
}
void ConvertedFile::reserve(int64_t) {
    throw readOnly();
}
void ConvertedFile::truncate(int64_t) {
    throw readOnly();
}

}  // namespace pelorus
