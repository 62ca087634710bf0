#include "CXMLSec.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <libxml/xmlerror.h>
#include <libxml/valid.h>

#include <xmlsec/crypto.h>
#include <xmlsec/errors.h>
#include <xmlsec/io.h>
#include <xmlsec/xmldsig.h>
#include <xmlsec/xmlsec.h>
#include <xmlsec/xmltree.h>

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

int hearth_xml_start(void) {
  xmlInitParser();
  LIBXML_TEST_VERSION
  if (xmlSecInit() < 0 || xmlSecCheckVersion() != 1) return 0;
  // xmlsec's messages on the standard error would repeat texts of untrusted documents.
  xmlSecErrorsDefaultCallbackEnableOutput(0);
  if (xmlSecCryptoAppInit(NULL) < 0 || xmlSecCryptoInit() < 0) return 0;
  // Nothing is ever read from a file or from the network.
  xmlSecIOCleanupCallbacks();
  return 1;
}

/// Discards libxml2's messages, which would write texts of untrusted documents to the standard error.
static void say_nothing(void *context, xmlErrorPtr error) {
  (void)context;
  (void)error;
}

/// Installs the handler on the calling thread: the library has one for each thread.
static void be_silent(void) { xmlSetStructuredErrorFunc(NULL, say_nothing); }

// MARK: Reading

hearth_xml_document *hearth_xml_read(const char *bytes, size_t count) {
  if (count == 0 || count > INT_MAX) return NULL;
  be_silent();
  int options = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING;
  xmlDocPtr document = xmlReadMemory(bytes, (int)count, NULL, "UTF-8", options);
  if (document == NULL) return NULL;
  if (document->intSubset != NULL || document->extSubset != NULL || xmlDocGetRootElement(document) == NULL) {
    xmlFreeDoc(document);
    return NULL;
  }
  return (hearth_xml_document *)document;
}

void hearth_xml_free(hearth_xml_document *document) { xmlFreeDoc((xmlDocPtr)document); }

hearth_xml_node *hearth_xml_root(hearth_xml_document *document) {
  return (hearth_xml_node *)xmlDocGetRootElement((xmlDocPtr)document);
}

hearth_xml_node *hearth_xml_first(const hearth_xml_node *node) {
  xmlNodePtr own = (xmlNodePtr)node;
  return own->type == XML_ELEMENT_NODE ? (hearth_xml_node *)own->children : NULL;
}

hearth_xml_node *hearth_xml_next(const hearth_xml_node *node) { return (hearth_xml_node *)((xmlNodePtr)node)->next; }

int hearth_xml_kind(const hearth_xml_node *node) {
  switch (((xmlNodePtr)node)->type) {
  case XML_ELEMENT_NODE: return 1;
  case XML_TEXT_NODE: return 2;
  case XML_COMMENT_NODE: return 3;
  default: return 0;
  }
}

const char *hearth_xml_name(const hearth_xml_node *node) { return (const char *)((xmlNodePtr)node)->name; }

const char *hearth_xml_namespace(const hearth_xml_node *node) {
  xmlNsPtr space = ((xmlNodePtr)node)->ns;
  return space == NULL ? NULL : (const char *)space->href;
}

const char *hearth_xml_text(const hearth_xml_node *node) { return (const char *)((xmlNodePtr)node)->content; }

hearth_xml_attribute *hearth_xml_first_attribute(const hearth_xml_node *element) {
  return (hearth_xml_attribute *)((xmlNodePtr)element)->properties;
}

hearth_xml_attribute *hearth_xml_next_attribute(const hearth_xml_attribute *attribute) {
  return (hearth_xml_attribute *)((xmlAttrPtr)attribute)->next;
}

const char *hearth_xml_attribute_name(const hearth_xml_attribute *attribute) {
  return (const char *)((xmlAttrPtr)attribute)->name;
}

const char *hearth_xml_attribute_namespace(const hearth_xml_attribute *attribute) {
  xmlNsPtr space = ((xmlAttrPtr)attribute)->ns;
  return space == NULL ? NULL : (const char *)space->href;
}

const char *hearth_xml_attribute_text(const hearth_xml_attribute *attribute) {
  xmlNodePtr text = ((xmlAttrPtr)attribute)->children;
  if (text == NULL) return "";
  if (text->type != XML_TEXT_NODE || text->next != NULL) return NULL;
  return (const char *)text->content;
}

// MARK: Signatures

/// Makes `ID` of the element, and nothing else, an id of the document.
static int know_id(xmlDocPtr document, xmlNodePtr element) {
  xmlAttrPtr attribute = xmlHasProp(element, BAD_CAST "ID");
  if (attribute == NULL || attribute->ns != NULL) return 0;
  const char *text = hearth_xml_attribute_text((hearth_xml_attribute *)attribute);
  if (text == NULL || text[0] == 0) return 0;
  xmlAttrPtr known = xmlGetID(document, BAD_CAST text);
  if (known != NULL) return known == attribute;
  return xmlAddID(NULL, document, BAD_CAST text, attribute) != NULL;
}

static int allow(xmlSecDSigCtxPtr context, int allows_sha1) {
  xmlSecTransformId signing[] = {
    xmlSecTransformExclC14NId,       xmlSecTransformRsaSha256Id,   xmlSecTransformRsaSha384Id,
    xmlSecTransformRsaSha512Id,      xmlSecTransformEcdsaSha256Id, xmlSecTransformEcdsaSha384Id,
    xmlSecTransformEcdsaSha512Id,
  };
  xmlSecTransformId referring[] = {
    xmlSecTransformExclC14NId, xmlSecTransformEnvelopedId, xmlSecTransformSha256Id, xmlSecTransformSha384Id,
    xmlSecTransformSha512Id,
  };
  for (size_t i = 0; i < sizeof signing / sizeof signing[0]; i++) {
    if (xmlSecDSigCtxEnableSignatureTransform(context, signing[i]) < 0) return 0;
  }
  for (size_t i = 0; i < sizeof referring / sizeof referring[0]; i++) {
    if (xmlSecDSigCtxEnableReferenceTransform(context, referring[i]) < 0) return 0;
  }
  if (!allows_sha1) return 1;
  return xmlSecDSigCtxEnableSignatureTransform(context, xmlSecTransformRsaSha1Id) >= 0 &&
         xmlSecDSigCtxEnableReferenceTransform(context, xmlSecTransformSha1Id) >= 0;
}

/// The octets that the only reference of a verified signature was made over.
static int signed_octets(xmlSecDSigCtxPtr context, char **octets, size_t *count) {
  if (xmlSecPtrListGetSize(&context->signedInfoReferences) != 1) return HEARTH_XML_REFUSED;
  if (xmlSecPtrListGetSize(&context->manifestReferences) != 0) return HEARTH_XML_REFUSED;
  xmlSecDSigReferenceCtxPtr reference = xmlSecPtrListGetItem(&context->signedInfoReferences, 0);
  if (reference == NULL || reference->status != xmlSecDSigStatusSucceeded) return HEARTH_XML_REFUSED;
  xmlSecBufferPtr buffer = xmlSecDSigReferenceCtxGetPreDigestBuffer(reference);
  if (buffer == NULL || xmlSecBufferGetData(buffer) == NULL) return HEARTH_XML_FAILED;
  size_t size = xmlSecBufferGetSize(buffer);
  char *copy = malloc(size + 1);
  if (copy == NULL) return HEARTH_XML_FAILED;
  memcpy(copy, xmlSecBufferGetData(buffer), size);
  copy[size] = 0;
  *octets = copy;
  *count = size;
  return HEARTH_XML_SIGNED;
}

int hearth_xml_verify(
    hearth_xml_document *document, hearth_xml_node *signature, hearth_xml_node *element, const char *pem,
    size_t pem_count, int allows_sha1, char **octets, size_t *count) {
  be_silent();
  *octets = NULL;
  *count = 0;
  if (pem_count == 0 || pem_count > INT_MAX || ((xmlNodePtr)signature)->parent != (xmlNodePtr)element) {
    return HEARTH_XML_REFUSED;
  }
  if (!know_id((xmlDocPtr)document, (xmlNodePtr)element)) return HEARTH_XML_REFUSED;
  // Without a store of keys: the signature cannot name its own key.
  xmlSecDSigCtxPtr context = xmlSecDSigCtxCreate(NULL);
  if (context == NULL) return HEARTH_XML_FAILED;
  context->flags |= XMLSEC_DSIG_FLAGS_STORE_SIGNEDINFO_REFERENCES;
  context->enabledReferenceUris = xmlSecTransformUriTypeSameDocument;
  int outcome = HEARTH_XML_FAILED;
  context->signKey =
      xmlSecCryptoAppKeyLoadMemory((const xmlSecByte *)pem, (xmlSecSize)pem_count, xmlSecKeyDataFormatCertPem, NULL, NULL, NULL);
  if (context->signKey != NULL && allow(context, allows_sha1)) {
    outcome = HEARTH_XML_REFUSED;
    if (xmlSecDSigCtxVerify(context, (xmlNodePtr)signature) == 0 && context->status == xmlSecDSigStatusSucceeded) {
      outcome = signed_octets(context, octets, count);
    }
  }
  xmlSecDSigCtxDestroy(context);
  // The queue of errors belongs to the thread; the next call on it should not find this failure.
  ERR_clear_error();
  return outcome;
}

void hearth_xml_release(char *octets) { free(octets); }

/// Answers every request for a passphrase with an empty one.
static int no_passphrase(char *buffer, int size, int writing, void *data) {
  (void)buffer;
  (void)size;
  (void)writing;
  (void)data;
  return 0;
}

int hearth_xml_certificate_strength(const char *pem, size_t count) {
  if (count == 0 || count > INT_MAX) return 0;
  BIO *bio = BIO_new_mem_buf(pem, (int)count);
  if (bio == NULL) return 0;
  X509 *certificate = PEM_read_bio_X509(bio, NULL, no_passphrase, NULL);
  BIO_free(bio);
  EVP_PKEY *key = certificate == NULL ? NULL : X509_get_pubkey(certificate);
  X509_free(certificate);
  int strength = 0;
  if (key != NULL) {
    int is_strong = (EVP_PKEY_is_a(key, "RSA") && EVP_PKEY_get_bits(key) >= 2048) || EVP_PKEY_is_a(key, "EC");
    strength = is_strong ? 2 : 1;
    EVP_PKEY_free(key);
  }
  ERR_clear_error();
  return strength;
}
