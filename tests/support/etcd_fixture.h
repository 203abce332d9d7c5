// EtcdFixture is an etcd for one test, on free loopback ports, in a folder that is removed at the end.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "common/error.h"
#include "distributed/metadata/metadata_etcd.h"
#include "net/connection.h"
#include "tests/support/child_process.h"

namespace pelorus::testing {

class EtcdFixture {
public:
    // Starts etcd. Throws SystemError when it is not installed or does not start.
    EtcdFixture() {
        char path[] = "/tmp/pelorus_etcd_XXXXXX";
        directory_ = ::mkdtemp(path);
        {
            Acceptor client("127.0.0.1", 0), peer("127.0.0.1", 0);
            port_ = client.port();
            peerPort_ = peer.port();
        }
        start();
    }
    ~EtcdFixture() {
        process_.reset();
        std::filesystem::remove_all(directory_);
    }

    // Starts etcd on another port, for changes that its clients must not see.
    void startAt(int port) {
        std::swap(port_, port);
        start();
        std::swap(port_, port);
    }
    void start() {
        const std::string client = "http://127.0.0.1:" + std::to_string(port_);
        const std::string peer = "http://127.0.0.1:" + std::to_string(peerPort_);
        process_ = std::make_unique<ChildProcess>(std::vector<std::string>{
            "etcd", "--data-dir", directory_ + "/etcd", "--listen-client-urls", client, "--advertise-client-urls",
            client, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster",
            "default=" + peer, "--unsafe-no-fsync"});
        const auto store = open();
        for (int i = 0;; ++i) {
            try {
                store->get("ready");
                return;
            } catch (const SystemError&) {
                if (i == 200) throw;
                std::this_thread::sleep_for(std::chrono::milliseconds(50));
            }
        }
    }
    void stop() { process_.reset(); }

    std::string endpoint() const { return "127.0.0.1:" + std::to_string(port_); }
    int port() const { return port_; }
    // Restarts etcd without its contents.
    void wipe() {
        stop();
        std::filesystem::remove_all(directory_ + "/etcd");
        start();
    }
    std::unique_ptr<MetaStore> open(int timeoutMillis = 3000) const {
        return openEtcdMetaStore({endpoint()}, "pelorus/test/", timeoutMillis);
    }

private:
    std::string directory_;
    int port_ = 0;
    int peerPort_ = 0;
    std::unique_ptr<ChildProcess> process_;
};

}  // namespace pelorus::testing
