// Types are looked up by name in the domain's lists; digests go over the encoded bytes.
#include "workers/protocol/commands.hpp"

#include "bus/frames.hpp"

namespace workers {
namespace {

template <class List>
struct ByType;

// Decodes the alternative whose kType is `type`.
template <class... Kinds>
struct ByType<base::Types<Kinds...>> {
  using Variant = base::SealedVariant<base::Types<Kinds...>>;

  static base::Result<Variant> decode(const std::string& type, const base::RawValue& body) {
    base::Result<Variant> result;
    if ((try_one<Kinds>(type, body, result) || ...)) return result;
    return base::failure(base::ErrorCode::invalid,
                         "unknown type '" + type + "'; known are " + names(), "type");
  }

 private:
  static std::string names() {
    std::string all;
    ((all += (all.empty() ? "" : ", ") + std::string(Kinds::kType)), ...);
    return all;
  }

  template <class Kind>
  static bool try_one(const std::string& type, const base::RawValue& body,
                      base::Result<Variant>& result) {
    if (type != Kind::kType) return false;
    auto decoded = base::decode<Kind>(body.encoded);
    if (decoded) {
      result = Variant(std::move(*decoded));
    } else {
      result = tl::unexpected(decoded.error());
    }
    return true;
  }
};

domain::BodyDigest start_of(const base::Hash& hash) {
  domain::BodyDigest digest{};
  base::view(hash).copy(digest.data(), digest.size());
  return digest;
}

}  // namespace

base::Result<domain::Command> decode_command(const CommandBody& body) {
  return domain::decode_client_command(body.type, bus::fields_of(body.body));
}

CommandBody encode_command(const domain::Command& command) {
  CommandBody body;
  body.type = domain::type_name(command);
  body.body.encoded = domain::encode_client_command(command);
  return body;
}

domain::BodyDigest digest_of(std::string_view verb, const base::RawValue& body) {
  base::Blake2bStream stream;
  stream.add(verb);
  stream.add(body.encoded);
  return start_of(stream.finish());
}

domain::BodyDigest digest_of(const CommandBody& body, const domain::Command& command) {
  base::Blake2bStream stream;
  if (body.asked) {
    stream.add("asked");
    stream.add({body.asked->data(), body.asked->size()});
    return start_of(stream.finish());
  }
  const CommandBody understood = encode_command(command);
  stream.add(body.session.view());
  stream.add(body.agent);
  stream.add(understood.type);
  stream.add(understood.body.encoded);
  return start_of(stream.finish());
}

base::Result<domain::Report> decode_report(const SequencedReport& report) {
  return ByType<domain::Reports>::decode(report.type, report.body);
}

SequencedReport encode_report(std::int64_t sequence, const domain::Report& report) {
  SequencedReport encoded;
  encoded.sequence = sequence;
  std::visit(
      [&](const auto& r) {
        encoded.type = r.kType;
        encoded.body.encoded = base::encode(r);
        encoded.body.encoded.shrink_to_fit();  // many can wait, and their bytes are counted
      },
      report);
  return encoded;
}

}  // namespace workers
