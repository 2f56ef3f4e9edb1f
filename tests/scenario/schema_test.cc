// The table itself: every example and default it prints passes its own check, and the generated
// pages in docs/ are those of this table. GRAPPLE_UPDATE_DOCS=1 writes them anew.
#include "grapple/scenario/language/schema.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "grapple/base/error.h"
#include "grapple/scenario/language/internal/schema_walk.h"
#include "grapple/scenario/language/reader.h"
#include "grapple/scenario/text/internal/yaml.h"

namespace grapple::scenario {
namespace {

// Read as values of their kind; names in examples refer to nothing, so the full check cannot run.
void expect_readable(const std::string& text, const Field& field, const Object& object) {
  const Mark mark{std::make_shared<const std::string>(object.name + "." + field.key), 0, 0};
  const Node node = parse_yaml("{k: " + text + "}", mark);
  const Node& value = *node.find("k");
  int readable = 0;
  for (const Shape& shape : field.shapes) {
    try {
      if (shape.kind == Kind::kNumber || shape.kind == Kind::kInteger) {
        const Quantity quantity = read_quantity(value);
        const auto& allowed = shape.dimensions;
        const bool fits =
            !quantity.has_unit || allowed.empty() ||
            std::find(allowed.begin(), allowed.end(), quantity.dimension) != allowed.end();
        readable += fits && shape.range.contains(quantity.value);
      } else if (shape.kind == Kind::kNumbers) {
        const std::size_t count = read_numbers(value).size();
        readable += count >= shape.least && count <= shape.most;
      } else if (shape.kind == Kind::kChoice) {
        readable += std::find(shape.choices.begin(), shape.choices.end(), value.scalar) !=
                    shape.choices.end();
      } else if (shape.kind == Kind::kFunction) {
        readable += read_function(value).function.breakpoints(0.0, 10.0).size() < 1000;
      } else if (shape.kind == Kind::kPlace) {
        readable += !read_place(value).body.empty();
      } else if (shape.kind == Kind::kList) {
        readable += value.is_sequence();
      } else if (shape.kind == Kind::kObject) {
        readable += value.is_mapping();
      } else {
        readable += value.is_scalar();
      }
    } catch (const Error&) {
      continue;
    }
  }
  EXPECT_GT(readable, 0) << object.name << "." << field.key << ": " << text;
}

TEST(Schema, EveryFieldHasADocAndAnExampleThatReads) {
  for (const Object* object : all_objects()) {
    for (const Field& field : object->fields) {
      EXPECT_FALSE(field.doc.empty()) << object->name << "." << field.key;
      expect_readable(field.example, field, *object);
      if (!field.default_text.empty()) expect_readable(field.default_text, field, *object);
    }
  }
}

TEST(Schema, RulesAndVariantsNameExistingKeys) {
  for (const Object* object : all_objects()) {
    for (const Rule& rule : object->rules) {
      for (const std::string& key : rule.keys) {
        const auto named = [&](const Field& field) { return field.key == key; };
        EXPECT_TRUE(std::any_of(object->fields.begin(), object->fields.end(), named)) << key;
      }
    }
    if (object->selector.empty()) continue;
    const Field* selector = object->find(object->selector, "");
    ASSERT_NE(selector, nullptr);
    const auto& choices = selector->shapes.front().choices;
    for (const Field& field : object->fields) {
      for (const std::string& value : field.only_for) {
        EXPECT_NE(std::find(choices.begin(), choices.end(), value), choices.end())
            << object->name << "." << field.key << ": " << value;
      }
    }
  }
}

TEST(Schema, JsonSchemaIsJsonAndItsReferencesResolve) {
  const auto schema = nlohmann::json::parse(json_schema());
  EXPECT_EQ(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
  const std::string text = json_schema(), start = "#/$defs/";
  int references = 0;
  for (std::size_t at = 0; (at = text.find(start, at)) != std::string::npos; ++references) {
    at += start.size();
    const std::string name = text.substr(at, text.find('"', at) - at);
    EXPECT_TRUE(schema["$defs"].contains(name)) << name;
  }
  EXPECT_GT(references, 20);
}

void expect_page(const std::string& name, const std::string& text) {
  const std::string path = std::string(GRAPPLE_SOURCE_DIR) + "/docs/" + name;
  if (std::getenv("GRAPPLE_UPDATE_DOCS")) std::ofstream(path) << text;
  std::ifstream stream(path);
  std::stringstream found;
  found << stream.rdbuf();
  EXPECT_EQ(found.str(), text) << "run scenario_test with GRAPPLE_UPDATE_DOCS=1 to renew " << name;
}

TEST(Schema, GeneratedPagesAreUpToDate) {
  expect_page("scenario-reference.md", reference_markdown());
  expect_page("scenario.schema.json", json_schema());
}

}  // namespace
}  // namespace grapple::scenario
