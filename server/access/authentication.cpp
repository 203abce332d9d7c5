#include "server/access/authentication.h"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/thread/mutex.h"
#include "net/client.h"

namespace pelorus {
namespace {

// 16 MiB of memory for each verification.
constexpr uint64_t kScryptCost = 1 << 14;
constexpr uint64_t kScryptBlock = 8;
constexpr uint64_t kScryptParallel = 1;
constexpr size_t kHashBytes = 32;
constexpr size_t kSaltBytes = 16;

std::string randomBytes(size_t count) {
    std::string bytes(count, '\0');
    if (RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(count)) != 1) {
        throw SystemError("The system returns no random numbers.");
    }
    return bytes;
}

constexpr int kHashesAtOnce = 2;
constexpr int kHashesWaiting = 64;

// Semaphore that lets two threads hash at a time. The process has one: all directories share the cores.
class HashGate {
public:
    HashGate() {
        Counts& c = counts();
        MutexLock lock(c.mutex);
        if (c.waiting >= kHashesWaiting) {
            throw UserError("Too many clients log in at the same time.", "Try again in a moment.");
        }
        ++c.waiting;
        while (c.running >= kHashesAtOnce) c.changed.wait(lock);
        --c.waiting;
        ++c.running;
    }
    ~HashGate() {
        Counts& c = counts();
        const MutexLock lock(c.mutex);
        --c.running;
        c.changed.notifyOne();
    }
    HashGate(const HashGate&) = delete;
    HashGate& operator=(const HashGate&) = delete;

private:
    struct Counts {
        Mutex mutex;
        CondVar changed;
        int running GUARDED_BY(mutex) = 0;
        int waiting GUARDED_BY(mutex) = 0;
    };
    static Counts& counts() {
        static Counts instance;
        return instance;
    }
};

std::string scrypt(std::string_view password, const std::string& salt) {
    const HashGate gate;
    std::string hash(kHashBytes, '\0');
    const int done = EVP_PBE_scrypt(
        password.data(), password.size(), reinterpret_cast<const unsigned char*>(salt.data()), salt.size(), kScryptCost,
        kScryptBlock, kScryptParallel, 64u << 20, reinterpret_cast<unsigned char*>(hash.data()), hash.size());
    if (done != 1) throw SystemError("The password could not be hashed.");
    return hash;
}

bool sameBytes(std::string_view a, std::string_view b) {
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string hex(std::string_view bytes) {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (unsigned char c : bytes) {
        text += kDigits[c >> 4];
        text += kDigits[c & 15];
    }
    return text;
}

std::string fromHex(const std::string& text) {
    std::string bytes;
    for (size_t i = 0; i + 1 < text.size(); i += 2) {
        bytes.push_back(static_cast<char>(std::stoi(text.substr(i, 2), nullptr, 16)));
    }
    return bytes;
}

}  // namespace

UserDirectory::UserDirectory(std::string path) : path_(std::move(path)), markKey_(randomBytes(kHashBytes)) {
    if (path_.empty() || ::access(path_.c_str(), F_OK) != 0) return;
    try {
        std::ifstream file(path_);
        const nlohmann::json stored = nlohmann::json::parse(file);
        for (const auto& [user, entry] : stored.items()) {
            users_[user] = {fromHex(entry.at("salt")), fromHex(entry.at("scrypt"))};
        }
    } catch (const std::exception& error) {
        throw SystemError("The users cannot be read from " + path_ + ": " + error.what() + ".",
                          "Restore the file from a backup, or remove it to begin with a new administrator.");
    }
}

bool UserDirectory::hasUser(std::string_view user) const {
    const MutexLock lock(mutex_);
    return users_.find(user) != users_.end();
}

std::string UserDirectory::quickMark(std::string_view user, std::string_view password) const {
    const std::string text = std::string(user) + '\0' + std::string(password);
    unsigned char mark[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    HMAC(EVP_sha256(), markKey_.data(), static_cast<int>(markKey_.size()),
         reinterpret_cast<const unsigned char*>(text.data()), text.size(), mark, &size);
    return std::string(reinterpret_cast<char*>(mark), size);
}

bool UserDirectory::verify(std::string_view user, std::string_view password) {
    const std::string mark = quickMark(user, password);
    // An unknown user takes as long as a wrong password.
    Entry entry{std::string(kSaltBytes, 'x'), ""};
    {
        const MutexLock lock(mutex_);
        if (auto known = verified_.find(user); known != verified_.end() && sameBytes(known->second, mark)) return true;
        if (const auto it = users_.find(user); it != users_.end()) entry = it->second;
    }
    if (!sameBytes(scrypt(password, entry.salt), entry.hash)) return false;
    const MutexLock lock(mutex_);
    // The password may have changed meanwhile: the mark belongs to the entry that was compared.
    const auto it = users_.find(user);
    if (it == users_.end() || it->second.hash != entry.hash) return false;
    verified_[std::string(user)] = mark;
    return true;
}

void UserDirectory::setPassword(std::string_view user, std::string_view password) {
    if (password.size() < 6 || password.size() > 64) {
        throw UserError("A password has 6 to 64 bytes, but this one has " + std::to_string(password.size()) + ".");
    }
    Entry entry;
    entry.salt = randomBytes(kSaltBytes);
    entry.hash = scrypt(password, entry.salt);
    const MutexLock lock(mutex_);
    users_[std::string(user)] = std::move(entry);
    verified_.erase(std::string(user));
    save();
}

void UserDirectory::save() const {
    if (path_.empty()) return;
    nlohmann::json file = nlohmann::json::object();
    for (const auto& [user, entry] : users_) file[user] = {{"salt", hex(entry.salt)}, {"scrypt", hex(entry.hash)}};
    const std::string text = file.dump(1) + '\n';
    const std::string aside = path_ + ".new";
    const int fd = ::open(aside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool written = fd >= 0 && ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    written = fd >= 0 && ::fsync(fd) == 0 && written;
    if (fd >= 0) ::close(fd);
    if (!written || std::rename(aside.c_str(), path_.c_str()) != 0) {
        throw SystemError("The users cannot be written to " + path_ + ": " + std::strerror(errno) + ".");
    }
}

std::optional<std::string> UserDirectory::nodeUser(std::string_view user, std::string_view key) const {
    if (clusterKey_.empty() || !user.starts_with(kNodeUserPrefix) || !sameBytes(key, clusterKey_)) return std::nullopt;
    return std::string(user.substr(kNodeUserPrefix.size()));
}

std::string UserDirectory::randomPassword() {
    static constexpr char kLetters[] = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789";
    std::string password;
    // The modulo favours some letters by 1 in 250: no help in guessing 16 of them.
    for (unsigned char c : randomBytes(16)) password += kLetters[c % (sizeof kLetters - 1)];
    return password;
}

}  // namespace pelorus
