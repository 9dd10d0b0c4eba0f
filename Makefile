# SPDX-License-Identifier: MIT
# A thin face over meson and ninja. The build is in build/ (release).
BUILD ?= build
PREFIX ?= /usr/local
# Programs that are to be at the top of the build directory, wherever ninja puts them.
PROGRAMS = waltrace conformance-runner bench-recorder bench-commitlog bench-encoder bench-memory bench-reader

.PHONY: all build check demo bench bench-quick bench-instructions kill-test crash-test install clean format

all: build

$(BUILD)/build.ninja:
	meson setup --prefix=$(PREFIX) $(BUILD)

build: $(BUILD)/build.ninja
	ninja -C $(BUILD)
	@cd $(BUILD) && for p in $(PROGRAMS); do \
		f=$$(find src tests bench -name $$p -type f -perm -u+x | head -n 1); \
		if [ -n "$$f" ]; then ln -sf "$$f" $$p; fi; \
	done

check:
	./check

demo:
	./demo

# Minutes; every round is interleaved with the yardsticks it is compared with.
bench: build
	$(BUILD)/bench-encoder
	$(BUILD)/bench-memory
	$(BUILD)/bench-recorder
	$(BUILD)/bench-commitlog
	$(BUILD)/bench-reader

# Under 45 seconds: a sanity check, not a measurement.
bench-quick: build
	$(BUILD)/bench-encoder
	$(BUILD)/bench-recorder --quick
	$(BUILD)/bench-commitlog --quick
	$(BUILD)/bench-reader --quick

install: build
	meson install -C $(BUILD)

format:
	tools/check-format --mend

clean:
	rm -rf $(BUILD) build-check

# 200 kills of a traced load, some of its recovery too; under five minutes.
kill-test: build
	$(BUILD)/tests/crash/trace/trace-kill-test 200

# 10,000 crashes of a simulated disk under the commit log; minutes.
crash-test: build
	$(BUILD)/tests/crash/wal-crash-test 10000

# Instructions a record, by callgrind.
bench-instructions: build
	tools/bench-instructions $(BUILD)
