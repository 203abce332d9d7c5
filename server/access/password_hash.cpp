#include "server/access/password_hash.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include "common/error.h"
#include "common/thread/mutex.h"

namespace pelorus {
namespace {

// The cost takes 16 MiB of memory for each verification.
constexpr uint64_t kScryptCost = 1 << 14;
constexpr uint64_t kScryptBlock = 8;
constexpr uint64_t kScryptParallel = 1;
constexpr size_t kHashBytes = 32;

constexpr int kHashesAtOnce = 2;
// A second thread of logins waits some 12 s behind so many, which is less than a client has to log in.
constexpr int kHashesWaiting = 512;

// Semaphore that lets two threads hash at a time. The process has one: all directories share the cores.
class HashGate {
public:
    // The privileged are counted apart: neither running hashes of others nor a full queue keeps them out.
    explicit HashGate(bool isPrivileged) : counts_(isPrivileged ? privileged() : usual()) {
        MutexLock lock(counts_.mutex);
        if (counts_.waiting >= kHashesWaiting) {
            throw UserError("Too many clients log in at the same time.", "Try again in a moment.");
        }
        ++counts_.waiting;
        // The order is first come, first served: however many others guess passwords, each waits only for those before
        // it.
        const uint64_t place = counts_.nextPlace++;
        while (counts_.running >= counts_.atOnce || place != counts_.servedPlace) counts_.changed.wait(lock);
        ++counts_.servedPlace;
        --counts_.waiting;
        counts_.changed.notifyAll();
        ++counts_.running;
    }
    ~HashGate() {
        const MutexLock lock(counts_.mutex);
        --counts_.running;
        counts_.changed.notifyAll();
    }
    HashGate(const HashGate&) = delete;
    HashGate& operator=(const HashGate&) = delete;

private:
    struct Counts {
        explicit Counts(int most) : atOnce(most) {}
        const int atOnce;
        Mutex mutex;
        CondVar changed;
        int running GUARDED_BY(mutex) = 0;
        int waiting GUARDED_BY(mutex) = 0;
        uint64_t nextPlace GUARDED_BY(mutex) = 0, servedPlace GUARDED_BY(mutex) = 0;
    };
    static Counts& usual() {
        static Counts instance(kHashesAtOnce);
        return instance;
    }
    static Counts& privileged() {
        static Counts instance(1);
        return instance;
    }

    Counts& counts_;
};

}  // namespace

std::string randomBytes(size_t count) {
    std::string bytes(count, '\0');
    if (RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(count)) != 1) {
        throw SystemError("The system returns no random numbers.");
    }
    return bytes;
}

std::string hashPassword(std::string_view password, const std::string& salt, bool isPrivileged) {
    const HashGate gate(isPrivileged);
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

std::string hmac(std::string_view key, std::string_view string) {
    unsigned char mark[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(string.data()),
         string.size(), mark, &size);
    return std::string(reinterpret_cast<char*>(mark), size);
}

std::string toHex(std::string_view bytes) {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string string;
    for (const unsigned char c : bytes) {
        string += kDigits[c >> 4];
        string += kDigits[c & 15];
    }
    return string;
}

std::string fromHex(std::string_view string) {
    const auto digit = [](char c) {
        if (c >= '0' && c <= '9') return c - '0';
        if (c >= 'a' && c <= 'f') return c - 'a' + 10;
        throw SystemError("Stored bytes are no hexadecimal digits.");
    };
    if (string.size() % 2 != 0) throw SystemError("Stored bytes are no hexadecimal digits.");
    std::string bytes;
    for (size_t i = 0; i < string.size(); i += 2)
        bytes += static_cast<char>(digit(string[i]) * 16 + digit(string[i + 1]));
    return bytes;
}

std::string randomPassword() {
    static constexpr char kLetters[] = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789";
    std::string password;
    // The modulo favours some letters by 1 in 250: no help in guessing 16 of them.
    for (const unsigned char c : randomBytes(16)) password += kLetters[c % (sizeof kLetters - 1)];
    return password;
}

}  // namespace pelorus
