"""The answers that a script prints for its oracle: a line for each, a number, a tab and the value."""
import os
import subprocess
import tempfile


def answers_of(pelorus, script, threads, data, jit=""):
    def on_one_core():
        if threads == 1:
            os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    with tempfile.NamedTemporaryFile("w", suffix=".dos") as file:
        file.write(script)
        file.flush()
        done = subprocess.run([pelorus, "run", "--data", data, "--keep-going", file.name], capture_output=True, text=True, timeout=1200,
                              preexec_fn=on_one_core, env={**os.environ, **({"PELORUS_JIT": jit} if jit else {})})
    answers = {}
    for line in done.stdout.splitlines():
        number, tab, text = line.partition("\t")
        if tab:
            answers[number] = text
    complaints = "\n".join(line for line in done.stderr.splitlines() if line and not line.startswith("TBB Warning"))
    if complaints or done.returncode:
        print(complaints[:3000], "exit", done.returncode)
    return answers
