/* SPDX-License-Identifier: MIT */
/* bench-simdjson FILE: reads a trace with simdjson, on one thread: every key and every value is visited, nothing is kept or
 * checked. A yardstick for bench-reader; built where simdjson is installed. */
#include <simdjson.h>

#include <cstdio>

using namespace simdjson;

static size_t visit(ondemand::object object)
{
	size_t sum = 0;
	for (auto field : object) {
		sum += static_cast<unsigned char>(*field.key().value().raw());
		ondemand::value value = field.value();
		switch (value.type()) {
		case ondemand::json_type::number: sum += uint64_t(value.get_uint64()); break;
		case ondemand::json_type::string: sum += std::string_view(value.get_string()).size(); break;
		case ondemand::json_type::boolean: sum += bool(value.get_bool()); break;
		default: sum++;
		}
	}
	return sum;
}

int main(int argc, char **argv)
{
	if (argc != 2) return 3;
	padded_string text = padded_string::load(argv[1]);
	ondemand::parser parser;
	parser.threaded = false;
	size_t sum = 0, lines = 0;
	ondemand::document_stream lines_of_text = parser.iterate_many(text, 1 << 20);
	for (auto document : lines_of_text) {
		sum += visit(document.get_object());
		lines++;
	}
	std::printf("%zu lines, %zu\n", lines, sum);
	return 0;
}
