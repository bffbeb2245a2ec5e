// Columns of the Arrow C data interface as numbers and as codes of text.
//
//   number     float64 and float32 as they lie in memory where no cell is null; integers, half floats, decimals of
//              128 bits and booleans as float64; NaN for null
//   category   text of any of Arrow's forms, or a dictionary of it: a code a row, -1 for null, and the levels
//
// Other types throw Error, naming the column. So does a column that contradicts itself, as a file from a stranger may:
// buffers that are not there, lengths and offsets below zero, texts that end before they start, or beyond a buffer
// whose size the interface tells (that of a text view), indices outside of their dictionary, text that is not UTF-8.
// How long the other buffers are the interface does not say; who hands over a column vouches for that.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tables/arrow_abi.h"

namespace plumbline {

enum class ArrowKind { number, boolean, category };

// Of a field; throws Error if its type is none of these.
ArrowKind kind_of(const ArrowSchema& field);

// Of categories: text, which nobody has declared to be a category by a dictionary.
bool is_plain_text(const ArrowSchema& field);

// Throws Error if the array cannot be a column of that field, by all that can be seen without reading its cells.
void check_column(const ArrowSchema& field, const ArrowArray& column);

// Whether a row of a column, or of a table as a whole, is null.
bool has_nulls(const ArrowArray& column);

// Where the cells of a float64 or float32 column lie, if it is one without nulls.
const void* plain_cells(const ArrowSchema& field, const ArrowArray& column);
bool is_float32(const ArrowSchema& field);

// Whether a column of integers has one beyond 2^53, from where on doubles skip whole numbers.
bool is_beyond_double(const ArrowSchema& field, const ArrowArray& column);

std::vector<double> numbers_of(const ArrowSchema& field, const ArrowArray& column);

struct Coded {
  std::vector<std::int32_t> codes;  // -1: null
  std::vector<std::string> levels;
};

Coded codes_of(const ArrowSchema& field, const ArrowArray& column);

}  // namespace plumbline
