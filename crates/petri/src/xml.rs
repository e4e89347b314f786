//! An XML text element by element, without a tree.
//!
//! A net of a million places is a text of many megabytes, most of it graphics that nobody asks for. So
//! the text is read once from front to back: [`Xml::child`] hands out the next child of an element that is
//! open, and what lies deeper and was not asked for is passed over, by a count and not by recursion. Every
//! element knows where it stands.
//!
//! Only what a net needs is understood: elements, attributes, text, the five entities that every text
//! has, and characters by number. A document type may define entities that grow or that come from other
//! places: it is refused, and so are entities that are not known. Prefixes of names are passed over.

use evenhand_source::{Diagnostic, FileId, Span, spend};
use quick_xml::Reader;
use quick_xml::escape::{resolve_predefined_entity, unescape};
use quick_xml::events::{BytesStart, Event};

/// How deep elements may be nested.
pub(crate) const MAX_DEPTH: usize = 1000;

/// The beginning of an element.
#[derive(Clone, Debug)]
pub(crate) struct Element {
    /// Its name, without a prefix.
    pub name: String,
    /// Where its first tag stands.
    pub span: Span,
    attributes: Vec<(String, String)>,
    /// How many elements are open inside of it, itself included.
    level: usize,
}

impl Element {
    /// The value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        let mut all = self.attributes.iter();
        all.find(|(key, _)| key == name).map(|(_, value)| &**value)
    }

    /// The value of an attribute that must be there.
    pub fn demand(&self, name: &str) -> Result<&str, Diagnostic> {
        self.attribute(name).ok_or_else(|| {
            let message = format!("`<{}>` has no attribute `{name}`", self.name);
            Diagnostic::error(self.span, message)
        })
    }
}

/// An element with all that is inside of it, texts apart.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub element: Element,
    pub children: Vec<Tree>,
}

impl Tree {
    fn new(element: Element) -> Tree {
        let children = Vec::new();
        Tree { element, children }
    }

    /// The name of the element.
    pub fn name(&self) -> &str {
        &self.element.name
    }

    /// The child of that name.
    pub fn child(&self, name: &str) -> Option<&Tree> {
        self.children.iter().find(|child| child.name() == name)
    }
}

/// A text that is being read.
pub(crate) struct Xml<'t> {
    reader: Reader<&'t [u8]>,
    file: FileId,
    depth: usize,
    /// The text that was read last directly inside of an element.
    text: String,
    /// The element whose text is kept, by its level.
    wanted: usize,
}

impl<'t> Xml<'t> {
    /// A text from its beginning.
    pub fn new(text: &'t str, file: FileId) -> Xml<'t> {
        let mut reader = Reader::from_str(text.trim_start_matches('\u{feff}'));
        reader.config_mut().expand_empty_elements = true;
        Xml {
            reader,
            file,
            depth: 0,
            text: String::new(),
            wanted: usize::MAX,
        }
    }

    /// The outermost element, which must have this name.
    pub fn root(&mut self, name: &str) -> Result<Element, Diagnostic> {
        let root = self.next(0)?.ok_or_else(|| {
            let message = format!("there is no `<{name}>` in this text");
            Diagnostic::global(message)
        })?;
        if root.name != name {
            let message = format!("expected `<{name}>`, found `<{}>`", root.name);
            return Err(Diagnostic::error(root.span, message));
        }
        Ok(root)
    }

    /// The next child of an element that is open; none if there are no more: then it is closed. What is left
    /// of the child before it is passed over.
    pub fn child(&mut self, parent: &Element) -> Result<Option<Element>, Diagnostic> {
        if self.depth < parent.level {
            return Ok(None);
        }
        self.next(parent.level)
    }

    /// The text inside of an element up to its end, without the blanks around it.
    pub fn text(&mut self, element: &Element) -> Result<String, Diagnostic> {
        self.text.clear();
        self.wanted = element.level;
        while self.child(element)?.is_some() {}
        self.wanted = usize::MAX;
        Ok(self.text.trim().to_string())
    }

    /// The text of the child `<text>` of an element, as PNML writes names and numbers.
    pub fn label(&mut self, element: &Element) -> Result<Option<(String, Span)>, Diagnostic> {
        let mut found = None;
        while let Some(child) = self.child(element)? {
            if child.name == "text" {
                found = Some((self.text(&child)?, child.span));
            }
        }
        Ok(found)
    }

    /// Everything inside of an element, up to its end.
    pub fn tree(&mut self, element: Element) -> Result<Tree, Diagnostic> {
        let mut open = vec![Tree::new(element)];
        while let Some(last) = open.last() {
            match self.child(&last.element)? {
                Some(child) => open.push(Tree::new(child)),
                None => {
                    let done = open.pop();
                    match (open.last_mut(), done) {
                        (Some(parent), Some(done)) => parent.children.push(done),
                        (None, Some(done)) => return Ok(done),
                        (_, None) => break,
                    }
                }
            }
        }
        Err(Diagnostic::global("an element has no end"))
    }

    /// Reads the rest of the text behind the outermost element.
    pub fn finish(&mut self) -> Result<(), Diagnostic> {
        match self.next(0)? {
            None => Ok(()),
            Some(second) => {
                let message = format!("`<{}>` stands behind the end", second.name);
                Err(Diagnostic::error(second.span, message))
            }
        }
    }

    fn next(&mut self, level: usize) -> Result<Option<Element>, Diagnostic> {
        loop {
            spend();
            let start = self.reader.buffer_position() as usize;
            let event = self.reader.read_event().map_err(|error| {
                let at = self.reader.error_position() as usize;
                self.error(at, at + 1, format!("the XML is broken: {error}"))
            })?;
            let end = self.reader.buffer_position() as usize;
            match event {
                Event::Start(tag) => {
                    self.depth += 1;
                    if self.depth > MAX_DEPTH {
                        let message = format!("more than {MAX_DEPTH} elements inside each other");
                        return Err(self.error(start, end, message));
                    }
                    if self.depth == level + 1 {
                        let span = Span::new(self.file, start, end);
                        return element(&tag, span, self.depth).map(Some);
                    }
                }
                Event::End(_) => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth < level {
                        return Ok(None);
                    }
                }
                Event::Text(text) => self.keep(&text.xml10_content()),
                Event::CData(text) => self.keep(&text.xml10_content()),
                Event::GeneralRef(name) => {
                    let known = match name.resolve_char_ref() {
                        Ok(Some(character)) => Some(character.to_string()),
                        Ok(None) => {
                            resolve_predefined_entity(&name.xml10_content()).map(str::to_string)
                        }
                        Err(_) => None,
                    };
                    match known {
                        Some(text) => self.keep(&text),
                        None => {
                            let message = format!("unknown entity `&{};`", name.xml10_content());
                            return Err(self.error(start, end, message));
                        }
                    }
                }
                Event::DocType(_) => {
                    let message = "a document type is not read: it may define entities";
                    let problem = self.error(start, end.min(start + 9), message);
                    return Err(problem.help("leave out `<!DOCTYPE …>`"));
                }
                Event::Eof if self.depth > 0 => {
                    let message = "the text ends before its elements are closed";
                    return Err(self.error(start, end, message));
                }
                Event::Eof => return Ok(None),
                Event::Empty(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
            }
        }
    }

    fn keep(&mut self, text: &str) {
        if self.depth == self.wanted {
            self.text.push_str(text);
        }
    }

    fn error(&self, start: usize, end: usize, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(Span::new(self.file, start, end), message)
    }
}

fn element(tag: &BytesStart<'_>, span: Span, level: usize) -> Result<Element, Diagnostic> {
    let wrong = |message: String| Diagnostic::error(span, message);
    let mut attributes = Vec::new();
    for attribute in tag.attributes() {
        let attribute = attribute.map_err(|error| wrong(format!("wrong attribute: {error}")))?;
        let value = unescape(&attribute.value).map_err(|error| wrong(error.to_string()))?;
        let key = attribute.key.local_name().as_ref().to_string();
        attributes.push((key, value.into_owned()));
    }
    Ok(Element {
        name: tag.local_name().as_ref().to_string(),
        span,
        attributes,
        level,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Result<Vec<String>, String> {
        let mut xml = Xml::new(text, FileId(0));
        let mut read = || {
            let root = xml.root("a")?;
            let mut names = Vec::new();
            while let Some(child) = xml.child(&root)? {
                let text = xml.text(&child)?;
                names.push(format!("{}={text}", child.name));
            }
            xml.finish()?;
            Ok(names)
        };
        read().map_err(|problem: Diagnostic| problem.message)
    }

    #[test]
    fn children_come_in_order_and_what_is_deeper_is_passed_over() {
        let text =
            "<?xml version='1.0'?><a><b> 1 <c>no</c></b><!-- d --><x:e/><f>&lt;&#65;</f></a>";
        assert_eq!(
            names(text),
            Ok(vec!["b=1".into(), "e=".into(), "f=<A".into()])
        );
        assert_eq!(
            names("<a><b><![CDATA[<x>]]></b></a>"),
            Ok(vec!["b=<x>".into()])
        );
    }

    #[test]
    fn what_is_broken_or_dangerous_is_refused() {
        let bomb = "<!DOCTYPE a [<!ENTITY x 'y'>]><a><b>&x;</b></a>";
        assert!(names(bomb).is_err_and(|m| m.contains("document type")));
        assert!(names("<a><b>&x;</b></a>").is_err_and(|m| m.contains("unknown entity")));
        for text in [
            "",
            "<b/>",
            "<a>",
            "<a><b></a>",
            "<a/><a/>",
            "<a b=1/>x<",
            "<a><b x='&y;'/></a>",
        ] {
            assert!(names(text).is_err(), "{text}");
        }
        let deep = "<a>".repeat(2000);
        assert!(names(&deep).is_err_and(|m| m.contains("inside each other")));
    }
}
