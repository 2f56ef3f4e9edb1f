#include <cmath>
#include <nlohmann/json.hpp>

#include "grapple/scenario/language/internal/schema_walk.h"
#include "grapple/scenario/language/schema.h"

namespace grapple::scenario {

namespace {

using Json = nlohmann::ordered_json;

Json definition_of(const Object& object) {
  std::string key = object.name;
  std::replace(key.begin(), key.end(), ' ', '-');
  return {{"$ref", "#/$defs/" + key}};
}

void add_range(Json& json, const Range& range) {
  const bool open_low = range.low_end == Range::End::kExcluded;
  const bool open_high = range.high_end == Range::End::kExcluded;
  if (std::isfinite(range.low)) json[open_low ? "exclusiveMinimum" : "minimum"] = range.low;
  if (std::isfinite(range.high)) json[open_high ? "exclusiveMaximum" : "maximum"] = range.high;
}

void add_counts(Json& json, const Shape& shape) {
  if (shape.least > 0) json["minItems"] = shape.least;
  if (shape.most != std::numeric_limits<std::size_t>::max()) json["maxItems"] = shape.most;
}

Json any_of(const std::vector<Shape>& shapes);

// A number may be text because of its unit; any value may be text because of ${...}.
Json numeric() { return {{"type", Json::array({"number", "string"})}}; }

Json shape_json(const Shape& shape) {
  Json json;
  switch (shape.kind) {
    case Kind::kNumber:
    case Kind::kInteger:
      json = numeric();
      add_range(json, shape.range);
      return json;
    case Kind::kBoolean:
      return {{"type", Json::array({"boolean", "string"})}};
    case Kind::kString:
    case Kind::kReference:
    case Kind::kPlace:
      return {{"type", Json::array({"string", "number"})}};
    case Kind::kName:
      return {{"type", Json::array({"string", "number"})},
              {"pattern", R"(^[A-Za-z0-9_.-]+$|\$\{)"}};
    case Kind::kChoice:
      return {{"enum", shape.choices}};
    case Kind::kNumbers:
      json = {{"type", "array"}, {"items", numeric()}};
      add_counts(json, shape);
      return {
          {"anyOf", Json::array({json, Json{{"type", "string"}, {"pattern", R"(^\s*\[|\$\{)"}}})}};
    case Kind::kFunction:
      return {{"anyOf", Json::array({numeric(), definition_of(function_object())})}};
    case Kind::kList:
      json = {{"type", "array"}, {"items", any_of(shape.elements)}};
      add_counts(json, shape);
      return json;
    case Kind::kObject:
      if (shape.object) return definition_of(*shape.object);
      json = {{"type", "object"}};
      if (!shape.elements.empty()) json["additionalProperties"] = any_of(shape.elements);
      return json;
  }
  return json;
}

Json any_of(const std::vector<Shape>& shapes) {
  if (shapes.size() == 1) return shape_json(shapes.front());
  Json alternatives = Json::array();
  for (const Shape& shape : shapes) alternatives.push_back(shape_json(shape));
  return {{"anyOf", alternatives}};
}

Json field_json(const Field& field) {
  Json json = any_of(field.shapes);
  json["description"] = field.doc;
  if (!field.default_text.empty()) json["default"] = field.default_text;
  json["examples"] = Json::array({field.example});
  return json;
}

Json required_one(const std::string& key) { return {{"required", Json::array({key})}}; }

Json rule_json(const Rule& rule) {
  Json parts = Json::array();
  switch (rule.kind) {
    case Rule::Kind::kExactlyOne:
      for (const std::string& key : rule.keys) parts.push_back(required_one(key));
      return {{"oneOf", parts}};
    case Rule::Kind::kAtMostOne:
      for (std::size_t i = 0; i < rule.keys.size(); ++i) {
        for (std::size_t j = i + 1; j < rule.keys.size(); ++j) {
          parts.push_back({{"not", {{"required", {rule.keys[i], rule.keys[j]}}}}});
        }
      }
      return {{"allOf", parts}};
    case Rule::Kind::kTogether: {
      Json dependent;
      for (const std::string& key : rule.keys) dependent[key] = rule.keys;
      return {{"dependentRequired", dependent}};
    }
    case Rule::Kind::kNeedsOneOf:
      for (std::size_t i = 1; i < rule.keys.size(); ++i) {
        parts.push_back(required_one(rule.keys[i]));
      }
      return {{"dependentSchemas", {{rule.keys.front(), {{"anyOf", parts}}}}}};
  }
  return {};
}

Json if_selected(const Object& object, const std::vector<std::string>& values, const Json& then) {
  Json condition{{"properties", {{object.selector, {{"enum", values}}}}}};
  const std::string& usual = object.find(object.selector, "")->default_text;
  if (std::find(values.begin(), values.end(), usual) == values.end()) {
    condition["required"] = Json::array({object.selector});
  }
  return {{"if", condition}, {"then", then}};
}

// For each value of the selector: the fields that exist with it, and those it needs.
void add_variants(Json& json, const Object& object) {
  if (object.selector.empty()) return;
  for (const std::string& value : object.find(object.selector, "")->shapes.front().choices) {
    Json properties = Json::object(), required = Json::array();
    for (const Field& field : object.fields) {
      if (field.only_for.empty()) continue;
      if (!field.exists_for(value)) {
        if (!object.find(field.key, value)) properties[field.key] = false;
        continue;
      }
      properties[field.key] = field_json(field);
      if (field.presence == Presence::kRequired) required.push_back(field.key);
    }
    json["allOf"].push_back(
        if_selected(object, {value}, {{"properties", properties}, {"required", required}}));
  }
}

Json object_json(const Object& object) {
  Json json{{"type", "object"}, {"description", object.doc}};
  Json properties, required = Json::array();
  for (const Field& field : object.fields) {
    // Fields of some variants only are described there; here they are merely known.
    properties[field.key] = field.only_for.empty() ? field_json(field) : Json(true);
    if (field.presence == Presence::kRequired && field.only_for.empty()) {
      required.push_back(field.key);
    }
  }
  json["properties"] = properties;
  json["additionalProperties"] = false;
  if (!required.empty()) json["required"] = required;
  add_variants(json, object);
  for (const Rule& rule : object.rules) {
    json["allOf"].push_back(rule.only_for.empty()
                                ? rule_json(rule)
                                : if_selected(object, rule.only_for, rule_json(rule)));
  }
  return json;
}

}  // namespace

std::string json_schema() {
  Json json{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
            {"title", "Grapple scenario"}};
  json.update(definition_of(scenario_object()));
  json["$defs"] = Json::object();
  for (const Object* object : all_objects()) {
    std::string key = object->name;
    std::replace(key.begin(), key.end(), ' ', '-');
    json["$defs"][key] = object_json(*object);
  }
  return json.dump(2) + "\n";
}

}  // namespace grapple::scenario
