#include "net/web_socket_frames.h"

#include <openssl/sha.h>

#include <algorithm>
#include <cstring>

#include "common/check.h"
#include "common/io/base64.h"

namespace pelorus::web_socket {
namespace {

constexpr size_t kMaxControlBytes = 125;
constexpr uint8_t kFinal = 0x80, kReserved = 0x70, kOpcodeBits = 0x0f, kMasked = 0x80, kLengthBits = 0x7f;

bool isControl(Opcode opcode) {
    return static_cast<uint8_t>(opcode) >= 8;
}

uint64_t bigEndian(std::string_view bytes) {
    uint64_t number = 0;
    for (const char c : bytes) number = number << 8 | static_cast<uint8_t>(c);
    return number;
}

void appendBigEndian(std::string& bytes, uint64_t number, int count) {
    for (int i = count - 1; i >= 0; --i) bytes += static_cast<char>(number >> (8 * i));
}

[[noreturn]] void refuse(const char* what) {
    throw FrameError(CloseCode::ProtocolError, std::string("A WebSocket frame ") + what + ".");
}

// Returns the size of a frame's head, as far as its first two bytes determine it.
size_t headBytes(std::string_view head) {
    if (head.size() < 2) return 2;
    const uint8_t length = static_cast<uint8_t>(head[1]) & kLengthBits;
    return 2 + (length == 126 ? 2 : length == 127 ? 8 : 0) + 4;
}

bool isUtf8(std::string_view string) {
    for (size_t i = 0; i < string.size();) {
        const auto lead = static_cast<uint8_t>(string[i]);
        const size_t more = lead < 0x80 ? 0 : lead >> 5 == 6 ? 1 : lead >> 4 == 14 ? 2 : lead >> 3 == 30 ? 3 : 4;
        if (more == 4 || i + more >= string.size()) return false;
        uint32_t code = more == 0 ? lead : lead & (0x3f >> more);
        for (size_t k = 1; k <= more; ++k) {
            const auto next = static_cast<uint8_t>(string[i + k]);
            if (next >> 6 != 2) return false;
            code = code << 6 | (next & 0x3f);
        }
        constexpr uint32_t kMin[] = {0, 0x80, 0x800, 0x10000};
        if (code < kMin[more] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return false;
        i += more + 1;
    }
    return true;
}

void requireCloseBody(std::string_view payload) {
    if (payload.empty()) return;
    if (payload.size() == 1) refuse("closes with half a code");
    const uint64_t code = bigEndian(payload.substr(0, 2));
    const bool isDefined = (code >= 1000 && code <= 1014 && code != 1004 && code != 1005 && code != 1006) ||
                           (code >= 3000 && code <= 4999);
    if (!isDefined) refuse("closes with a code that must not be sent");
    if (!isUtf8(payload.substr(2)))
        throw FrameError(CloseCode::BadString, "The reason of a WebSocket close is no UTF-8.");
}

}  // namespace

std::string acceptKey(std::string_view key) {
    const std::string string = std::string(key) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    unsigned char digest[SHA_DIGEST_LENGTH];
    SHA1(reinterpret_cast<const unsigned char*>(string.data()), string.size(), digest);
    return toBase64({reinterpret_cast<const char*>(digest), sizeof digest});
}

std::string frameHeader(Opcode opcode, uint64_t sizeBytes) {
    std::string header(1, static_cast<char>(kFinal | static_cast<uint8_t>(opcode)));
    if (sizeBytes < 126) {
        header += static_cast<char>(sizeBytes);
    } else if (sizeBytes <= UINT16_MAX) {
        header += static_cast<char>(126);
        appendBigEndian(header, sizeBytes, 2);
    } else {
        header += static_cast<char>(127);
        appendBigEndian(header, sizeBytes, 8);
    }
    return header;
}

std::string controlFrame(Opcode opcode, std::string_view payload) {
    CHECK(isControl(opcode)) << "frames of data are no control frames";
    CHECK(payload.size() <= kMaxControlBytes) << "the length of a control frame fits its second byte";
    return frameHeader(opcode, payload.size()) + std::string(payload);
}

std::string closeFrame(CloseCode code, std::string_view reason) {
    std::string payload;
    appendBigEndian(payload, static_cast<uint64_t>(code), 2);
    payload += reason.substr(0, kMaxControlBytes - 2);
    return controlFrame(Opcode::Close, payload);
}

void FrameReader::readHead() {
    CHECK(head_.size() == headBytes(head_)) << "a frame's head is decoded when it is complete";
    const auto first = static_cast<uint8_t>(head_[0]), second = static_cast<uint8_t>(head_[1]);
    isFinal_ = (first & kFinal) != 0;
    opcode_ = static_cast<Opcode>(first & kOpcodeBits);
    const uint8_t length = second & kLengthBits;
    left_ = length;
    if (length == 126) left_ = bigEndian(std::string_view(head_).substr(2, 2));
    if (length == 127) left_ = bigEndian(std::string_view(head_).substr(2, 8));
    std::memcpy(mask_, head_.data() + head_.size() - 4, 4);
    done_ = 0;
    if ((length == 126 && left_ < 126) || (length == 127 && (left_ <= UINT16_MAX || left_ >> 63 != 0)))
        refuse("tells its length in more bytes than it needs");
    if (isControl(opcode_)) {
        control_.clear();
        return;
    }
    if (opcode_ != Opcode::Continuation) messageBytes_ = 0;
    inMessage_ = true;
    messageBytes_ += left_;
    if (left_ > static_cast<uint64_t>(limit_) || messageBytes_ > static_cast<uint64_t>(limit_)) {
        throw FrameError(CloseCode::TooBig, "A WebSocket message is longer than " + std::to_string(limit_) +
                                                " bytes, which is the limit.");
    }
}

void FrameReader::endFrame(const std::function<void(Opcode, std::string_view)>& onControl) {
    state_ = State::Head;
    head_.clear();
    if (!isControl(opcode_)) {
        inMessage_ = !isFinal_;
        return;
    }
    if (opcode_ == Opcode::Close) requireCloseBody(control_);
    onControl(opcode_, control_);
}

void FrameReader::take(std::string_view bytes, std::string& payload,
                       const std::function<void(Opcode, std::string_view)>& onControl) {
    while (!bytes.empty()) {
        if (state_ == State::Head) {
            head_ += bytes[0];
            bytes.remove_prefix(1);
            // A head whose first two bytes are invalid is refused before more bytes are awaited.
            if (head_.size() == 1) {
                const auto first = static_cast<uint8_t>(head_[0]);
                const auto opcode = static_cast<Opcode>(first & kOpcodeBits);
                if ((first & kReserved) != 0) refuse("has reserved bits");
                if (isControl(opcode)) {
                    if (opcode > Opcode::Pong) refuse("has an unknown opcode");
                    if ((first & kFinal) == 0) refuse("of control is cut into pieces");
                } else if (opcode > Opcode::Binary) {
                    refuse("has an unknown opcode");
                } else if ((opcode == Opcode::Continuation) != inMessage_) {
                    refuse(inMessage_ ? "begins a message within another one" : "goes on with no message");
                } else if (opcode == Opcode::Text) {
                    throw FrameError(CloseCode::Unsupported, "Requests are binary messages, but this one is text.");
                }
            }
            if (head_.size() == 2) {
                const auto second = static_cast<uint8_t>(head_[1]);
                if ((second & kMasked) == 0) refuse("of a client is not masked");
                const auto opcode = static_cast<Opcode>(static_cast<uint8_t>(head_[0]) & kOpcodeBits);
                if (isControl(opcode) && (second & kLengthBits) > kMaxControlBytes) refuse("of control is too long");
            }
            if (head_.size() < headBytes(head_)) continue;
            readHead();
            state_ = State::Payload;
            if (left_ == 0) endFrame(onControl);
            continue;
        }
        CHECK(left_ > 0) << "a frame ends with its last byte";
        const auto part = static_cast<size_t>(std::min<uint64_t>(left_, bytes.size()));
        std::string& target = isControl(opcode_) ? control_ : payload;
        const size_t begin = target.size();
        target.append(bytes.substr(0, part));
        for (size_t i = 0; i < part; ++i)
            target[begin + i] = static_cast<char>(target[begin + i] ^ mask_[(done_ + i) % 4]);
        bytes.remove_prefix(part);
        done_ += part;
        left_ -= part;
        if (left_ == 0) endFrame(onControl);
    }
}

}  // namespace pelorus::web_socket
