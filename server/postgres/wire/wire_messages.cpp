#include "server/postgres/wire/wire_messages.h"

#include <bit>
#include <cstring>

#include "postgres/sql_error.h"

namespace pelorus::postgres {
namespace {

constexpr size_t kMaxMessageBytes = (size_t{1} << 30) - 1;
constexpr size_t kKeptBytes = 128 << 10;

uint16_t bigEndian(uint16_t x) {
    return __builtin_bswap16(x);
}
uint32_t bigEndian(uint32_t x) {
    return __builtin_bswap32(x);
}
uint64_t bigEndian(uint64_t x) {
    return __builtin_bswap64(x);
}
static_assert(std::endian::native == std::endian::little);

template <class T>
void append(std::string& out, T x) {
    const T swapped = bigEndian(x);
    out.append(reinterpret_cast<const char*>(&swapped), sizeof swapped);
}

template <class T>
T load(std::string_view bytes) {
    T x;
    std::memcpy(&x, bytes.data(), sizeof x);
    return bigEndian(x);
}

}  // namespace

void refuseMessage(const std::string& why) {
    throw SqlError("08P01", why);
}

std::string_view MessageReader::bytes(size_t count) {
    if (count > body_.size()) {
        refuseMessage("a message ends too early: " + std::to_string(count) + " bytes were expected, " +
                      std::to_string(body_.size()) + " are left");
    }
    const std::string_view field = body_.substr(0, count);
    body_.remove_prefix(count);
    return field;
}

uint8_t MessageReader::byte() {
    return static_cast<uint8_t>(bytes(1)[0]);
}

int16_t MessageReader::int16() {
    return static_cast<int16_t>(load<uint16_t>(bytes(2)));
}

int32_t MessageReader::int32() {
    return static_cast<int32_t>(load<uint32_t>(bytes(4)));
}

std::string_view MessageReader::string() {
    const size_t end = body_.find('\0');
    if (end == std::string_view::npos) refuseMessage("a string of a message has no end");
    const std::string_view field = body_.substr(0, end);
    body_.remove_prefix(end + 1);
    return field;
}

std::string_view MessageReader::rest() {
    return bytes(body_.size());
}

void MessageReader::requireEnd() const {
    if (!body_.empty()) refuseMessage("a message has " + std::to_string(body_.size()) + " bytes too many");
}

void MessageWriter::begin(char letter) {
    begun_ = bytes_.size();
    if (letter != 0) bytes_.push_back(letter);
    lengthAt_ = bytes_.size();
    bytes_.append(4, '\0');
}

void MessageWriter::int16(int16_t x) {
    appendInt16(bytes_, x);
}

void MessageWriter::int32(int32_t x) {
    appendInt32(bytes_, x);
}

void MessageWriter::int64(int64_t x) {
    appendInt64(bytes_, x);
}

void MessageWriter::string(std::string_view x) {
    bytes_.append(x.substr(0, x.find('\0')));
    bytes_.push_back('\0');
}

void MessageWriter::end() {
    const size_t length = bytes_.size() - lengthAt_;
    if (length > kMaxMessageBytes) {
        abandon();
        throw SqlError("54000", "a row of " + std::to_string(length) + " bytes is too long for a message");
    }
    putInt32(bytes_, lengthAt_, static_cast<int32_t>(length));
}

void MessageWriter::abandon() {
    bytes_.resize(begun_);
}

void MessageWriter::clear() {
    if (bytes_.capacity() > kKeptBytes) {
        std::string().swap(bytes_);
    } else {
        bytes_.clear();
    }
}

void appendInt16(std::string& out, int16_t x) {
    append(out, static_cast<uint16_t>(x));
}

void appendInt32(std::string& out, int32_t x) {
    append(out, static_cast<uint32_t>(x));
}

void appendInt64(std::string& out, int64_t x) {
    append(out, static_cast<uint64_t>(x));
}

void putInt32(std::string& out, size_t at, int32_t x) {
    const uint32_t swapped = bigEndian(static_cast<uint32_t>(x));
    std::memcpy(out.data() + at, &swapped, sizeof swapped);
}

}  // namespace pelorus::postgres
