#ifndef HEARTH_CXMLSEC_H
#define HEARTH_CXMLSEC_H

#include <stddef.h>

// XML by libxml2 and its signatures by xmlsec1, behind a few functions that expose neither. Nothing here reads a file
// or opens a socket, whatever a document contains.

/// A document.
typedef struct hearth_xml_document hearth_xml_document;
/// An element or a piece of text of a document, valid while the document is.
typedef struct hearth_xml_node hearth_xml_node;
/// An attribute of an element.
typedef struct hearth_xml_attribute hearth_xml_attribute;

/// Readies both libraries; 1 on success. To be called once, before everything else.
int hearth_xml_start(void);

/// Reads a document as UTF-8, whatever encoding it declares: no DTD is loaded, no entity replaced, nothing fetched.
/// NULL for a text that is not well formed, and for one with a DTD. Free it with hearth_xml_free.
hearth_xml_document *hearth_xml_read(const char *bytes, size_t count);
void hearth_xml_free(hearth_xml_document *document);

hearth_xml_node *hearth_xml_root(hearth_xml_document *document);
/// The first child, and the next after one: elements, texts and all other nodes. NULL at the end.
hearth_xml_node *hearth_xml_first(const hearth_xml_node *node);
hearth_xml_node *hearth_xml_next(const hearth_xml_node *node);
/// 1 for an element, 2 for text, 3 for a comment, 0 for everything else.
int hearth_xml_kind(const hearth_xml_node *node);
/// The local name of an element.
const char *hearth_xml_name(const hearth_xml_node *node);
/// The namespace of an element; NULL without one.
const char *hearth_xml_namespace(const hearth_xml_node *node);
/// The content of a text.
const char *hearth_xml_text(const hearth_xml_node *node);

hearth_xml_attribute *hearth_xml_first_attribute(const hearth_xml_node *element);
hearth_xml_attribute *hearth_xml_next_attribute(const hearth_xml_attribute *attribute);
const char *hearth_xml_attribute_name(const hearth_xml_attribute *attribute);
/// The namespace of an attribute; NULL without one.
const char *hearth_xml_attribute_namespace(const hearth_xml_attribute *attribute);
/// The value of an attribute; NULL when that is more than one text.
const char *hearth_xml_attribute_text(const hearth_xml_attribute *attribute);

/// The result of checking a signature.
enum hearth_xml_outcome {
  /// The key made it, over the octets that are given.
  HEARTH_XML_SIGNED = 1,
  /// The signature was made with another key, or the covered content was changed.
  HEARTH_XML_REFUSED = 0,
  /// Memory is short, or a library failed.
  HEARTH_XML_FAILED = -1,
};

/// Checks an enveloped signature with the key of one certificate, and with none that the document names.
///
/// Accepted are only: exclusive canonicalisation, RSA or ECDSA with SHA-2 (and SHA-1 when allowed), references within
/// the document, the one element whose attribute `ID` it is.
///
/// signature: the element `Signature`, a child of `element`.
/// element: the signed element; its attribute `ID` is made known to the library, and no other.
/// pem: a certificate.
/// octets: on success, the digested octets: the canonical form of the element without the signature. Free it with
/// hearth_xml_release.
int hearth_xml_verify(
    hearth_xml_document *document, hearth_xml_node *signature, hearth_xml_node *element, const char *pem,
    size_t pem_count, int allows_sha1, char **octets, size_t *count);

void hearth_xml_release(char *octets);

/// Returns 2 for a certificate whose key is RSA of 2,048 bits or more, or elliptic; 1 for one with another key; 0 for
/// any other text. The rest of it is not checked.
int hearth_xml_certificate_strength(const char *pem, size_t count);

#endif
