#!/usr/bin/env python3
"""The Java client's own tests (github.com/dolphindb/api-java, folder test) against a node.

    java_suite.py [PELORUS] --suite FOLDER [--only PATTERN] [--all]

Needs a JDK and Maven. Cases that are excluded stand with their reasons in java.skip."""
import sys

import junit_suite
from suite import Count, options_of


def main():
    options = options_of("java", "the Java client's sources (github.com/dolphindb/api-java)")
    count = Count("java", options.verbose)
    classpath, names = junit_suite.build(options.suite, options.work, "test", count)

    def write(node):
        site = f"127.0.0.1:{node.port}"
        junit_suite.write_settings(options.suite, options.work, "test", {
            "HOST": "127.0.0.1", "PORT": node.port, "COMPUTENODE": node.port, "CONTROLLER_HOST": "127.0.0.1", "CONTROLLER_PORT": node.port,
            "PORTS": ",".join([str(node.port)] * 4), "HOSTS": ",".join(["127.0.0.1"] * 4), "SITES": ",".join([site] * 4),
            "WORK_DIR": node.folder + "/data/files", "DATA_DIR": node.folder + "/data/files"})

    junit_suite.run(options, count, classpath, names, write)
    return count.close()


if __name__ == "__main__":
    sys.exit(main())
