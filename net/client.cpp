#include "net/client.h"

#include "common/check.h"
#include "common/error.h"
#include "net/frame.h"

namespace pelorus {
namespace {

constexpr size_t kMaxErrorBytes = size_t{1} << 20;
constexpr size_t kMaxTopicBytes = 4096;
constexpr size_t kMaxPrintBytes = size_t{1} << 28;

}  // namespace

Client::Client(ClientOptions options) : options_(std::move(options)) {
    const std::string address = options_.host + ':' + std::to_string(options_.port);
    options_.peerName = options_.peerName.empty() ? address : options_.peerName + " (" + address + ")";
    try {
        connection_ = Connection::open(options_.host, options_.port, options_.connectTimeoutMillis);
    } catch (const ConnectionRefused& error) {
        if (options_.peerName == address) throw;
        throw ConnectionRefused(options_.peerName + " does not answer: " + error.what(), error.hint(), true);
    } catch (const SystemError& error) {
        if (options_.peerName == address) throw;
        throw SystemError(options_.peerName + " does not answer: " + error.what(), error.hint(), true);
    }
    connection_->setIdleCheck(options_.idleCheck);
    if (options_.tls) {
        connection_->beginTls(*options_.tls, options_.host);
        if (options_.checkPeer) options_.checkPeer(connection_->peerFingerprint());
    }
    std::string body = "connect\n";
    if (!options_.user.empty()) body += "login\n" + options_.user + '\n' + options_.password + "\nfalse";
    exchange(body, {});
}

Client::~Client() = default;

void Client::setIdleCheck(std::function<void()> check) {
    connection_->setIdleCheck(std::move(check));
}

Value Client::run(std::string_view script) {
    return exchange(formatScriptBody(script), {});
}

Value Client::call(std::string_view expression, std::span<const Value> arguments) {
    return exchange(formatFunctionBody(expression, arguments.size()), arguments);
}

void Client::upload(const std::vector<std::string>& names, std::span<const Value> values) {
    CHECK(names.size() == values.size()) << "each uploaded variable has a value";
    exchange(formatVariableBody(names), values);
}

void Client::shutdown() {
    connection_->shutdown();
}

Value Client::exchange(const std::string& body, std::span<const Value> values) {
    RequestLine line;
    line.acceptsPrints = true;
    line.sessionId = sessionId_;
    line.bodyBytes = static_cast<int64_t>(body.size());
    line.flags = options_.peer == Peer::Node ? request_flag::kNode : options_.isConsole ? request_flag::kConsole : 0;
    if (options_.takesMessages) line.flags |= request_flag::kReverseStreaming;
    std::string bytes = formatRequestLine(line) + body;
    // The values are encoded before anything is sent: one that cannot be sent leaves the connection as it was.
    for (const Value& value : values) encodeValue(value, options_.peer, bytes);
    if (broken_) throw SystemError("The connection to " + options_.peerName + " is broken.", "", true);
    try {
        connection_->write(bytes);
        return awaitAnswer();
    } catch (const SystemError& error) {
        broken_ = true;
        throw SystemError("Lost " + options_.peerName + " while it was working: " + error.what(), error.hint(), true);
    }
}

StreamedMessage Client::readMessage() {
    CHECK(options_.takesMessages) << "only a subscriber gets messages";
    broken_ = true;  // no request may be sent any more
    StreamedMessage message;
    uint8_t isLittle = 0;
    connection_->read(&isLittle, sizeof isLittle);
    if (isLittle != 1) throw SystemError(options_.peerName + " sent a message of another byte order.");
    connection_->read(&message.sentNanos, sizeof message.sentNanos);
    connection_->read(&message.id, sizeof message.id);
    connection_->readUntilZero(message.topic, kMaxTopicBytes);
    message.value = decodeValue(*connection_, Peer::Client);
    return message;
}

Value Client::awaitAnswer() {
    broken_ = true;  // until the answer has been read to its end
    for (;;) {
        const ResponseLine response = parseResponseLine(connection_->readLine(kMaxErrorBytes));
        if (response.isPrint) {
            std::string string;
            connection_->readUntilZero(string, kMaxPrintBytes);
            if (print_) print_(string);
            continue;
        }
        sessionId_ = response.sessionId;
        const std::string status = connection_->readLine(kMaxErrorBytes);
        if (status != "OK") {
            broken_ = false;
            throw UserError(status);
        }
        Value result;
        if (response.objectCount > 0) result = decodeValue(*connection_, options_.peer);
        broken_ = false;
        return result;
    }
}

}  // namespace pelorus
